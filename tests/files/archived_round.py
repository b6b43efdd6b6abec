"""A round to be archived: thirty questions to two models, three people and a model as raters."""

import json

from raterbook import Workspace
from raterbook.files import import_answers

PROTOCOL = """
name: tone
title: Tone of answers
about: For tests.
instructions: [Rate.]
item:
  key: [qid, model]
  case: qid
  cluster: topic
  system: model
  fields:
    qid: {label: Id, show: none}
    model: {label: Model, show: hidden}
    topic: {label: Topic, show: none, of: case}
    text: {label: Text, show: long}
questions:
  - id: tone
    prompt: How is its tone?
    type: scale
    levels:
      - {value: 1, name: bad, description: Bad.}
      - {value: 2, name: fair, description: Fair.}
      - {value: 3, name: good, description: Good.}
  - id: label
    prompt: Which?
    type: choice
    options:
      - {value: "yes", label: "Yes", description: Yes.}
      - {value: "no", label: "No", description: No.}
      - {value: unsure, label: Unsure, description: Unsure.}
  - id: sure
    prompt: How sure?
    type: percent
    covers: [tone]
measures:
  - {statistic: mean, question: [tone], by: [[model]]}
  - {statistic: median, question: [tone]}
  - {statistic: weighted_mean, question: [tone]}
  - {statistic: alpha_ordinal, question: [tone]}
  - {statistic: kappa_raters, question: [label]}
  - {statistic: alpha_nominal, question: [label], recode: {known: {yes: [yes, no], no: [unsure]}}}
  - {statistic: alpha_ordinal, question: [tone], recode: {two: {low: [1], high: [2, 3]}}}
  - {statistic: proportion_yes, question: [label], is: [yes], of: [yes, no]}
  - {statistic: overall_mean, question: [tone, sure]}
  - {statistic: difference, question: [tone]}
targets:
  - {name: Reliable, statistic: alpha_ordinal, question: tone, at_least: 0.5}
"""


def opened(tmp_path):
    place = Workspace(tmp_path / "place")
    file = tmp_path / "tone.yaml"
    file.write_text(PROTOCOL, encoding="utf-8")
    keys = [(f"q{i}", model) for i in range(30) for model in ("m1", "m2")]
    items = [{"qid": q, "model": m, "topic": f"t{int(q[1:]) % 9}", "text": "…"} for q, m in keys]
    lines = ["item,rater,question,value,rater_kind"]
    for n, (q, m) in enumerate(keys):
        for k, rater in enumerate(("ana", "ben", "cem", "bot")):
            if (n + k) % 7 == 0:
                continue
            kind = "model" if rater == "bot" else "human"
            told = {
                "tone": 1 + (n // 4 + k * (n % 3 == 0)) % 3,
                "label": ("yes", "no", "unsure")[(n // 3 + (k * n) % 2) % 3],
                "sure": 40 + (n * 7 + k * 11) % 60,
            }
            lines += [f"{q}/{m},{rater},{name},{value},{kind}" for name, value in told.items()]
    answers = tmp_path / "answers.csv"
    answers.write_text("\n".join(lines) + "\n", encoding="utf-8")
    rows = tmp_path / "items.jsonl"
    rows.write_text("".join(json.dumps(item) + "\n" for item in items), encoding="utf-8")
    place.open("pilot", file, rows)
    import_answers(place.round("pilot"), answers)
    return place.round("pilot")


def by_address(numbers):
    return {
        (row["statistic"], row["question"], json.dumps(row["group"]), row["aggregate"]): row
        for row in numbers.rows
    }
