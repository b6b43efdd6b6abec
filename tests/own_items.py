"""Items with columns of their own, as somebody brings them, in every format."""

ROWS = [
    {"Nr": "1", "Prompt": "How long?", "Passage": "20 m.", "Model output": "About 20 m.",
     "model": "a", "domain": "roads", "gold": "20 m"},
    {"Nr": "1", "Prompt": "How long?", "Passage": "20 m.", "Model output": "90 m",
     "model": "b", "domain": "roads", "gold": "20 m"},
    {"Nr": "2", "Prompt": "Who?", "Passage": "Monks.", "Model output": "Monks built it.",
     "model": "a", "domain": "people", "gold": "Monks"},
    {"Nr": "2", "Prompt": "Who?", "Passage": "Monks.", "Model output": "Nobody knows.",
     "model": "b", "domain": "people", "gold": "Monks"},
]  # fmt: skip

WRITERS = {
    "items.csv": lambda frame, path: frame.to_csv(path, index=False),
    "items.tsv": lambda frame, path: frame.to_csv(path, index=False, sep="\t"),
    "items.xlsx": lambda frame, path: frame.to_excel(path, index=False),
    "items.jsonl": lambda frame, path: frame.to_json(path, orient="records", lines=True),
    "items.parquet": lambda frame, path: frame.to_parquet(path, index=False),
}
