"""Times that words name: what stands in a text, and which days and hours that is."""
