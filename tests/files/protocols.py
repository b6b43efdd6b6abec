"""Protocols that have every kind of question, for the tests of this room."""

from raterbook.protocols import parse

EVERYTHING = parse(
    """
name: everything
title: Every kind of question
about: Items of two systems with parts of items, asked every kind of question.
instructions: [Answer all.]
item:
  key: [id, model]
  case: id
  system: model
  groups: [domain]
  fields:
    id: {label: Case}
    text: {label: Text, show: long}
    domain: {label: Domain, of: case, required: false}
    model: {label: Model, show: hidden, required: false}
    gold: {label: Gold, show: hidden, required: false}
parts: {of: item, from: file}
questions:
  - {id: tone, prompt: Rate the tone, type: scale, min: 1, max: 5, comment: {prompt: Why}}
  - {id: balance, prompt: Which way does it lean, type: scale, min: -2, max: 2, level: interval}
  - {id: overall, prompt: Rate it, type: scale, min: 1, max: 5, step: 0, level: interval}
  - id: verdict
    prompt: Which one
    type: choice
    options:
      - {value: nan, description: A label spelled so}
      - {value: =good, description: Looks like a formula}
      - {value: "NO EVIDENCE", description: Two words}
      - {value: ok, description: Fine, aliases: [okay]}
  - {id: sure, prompt: How sure are you, type: percent, covers: [tone, overall], required: false}
  - {id: remark, prompt: Say more, type: text, required: false}
  - {id: short, prompt: Answer from the text, type: answer, required: false}
  - id: fair
    prompt: Is the question fair
    type: choice
    of: case
    options: [{value: "yes", description: It is}, {value: "no", description: It is not}]
  - id: claim
    prompt: Does the sentence hold
    type: choice
    per: part
    options: [{value: holds, description: It does}, {value: fails, description: It does not}]
  - {id: worth, prompt: What is it worth, type: scale, min: 0, max: 1, step: 0.25, per: part}
""",
    source="everything.yaml",
)

SLOTS = parse(
    """
name: slots
title: Labels in the file itself
about: An items file with columns for the label and the notes.
instructions: [Label all.]
item:
  key: [id]
  case: id
  fields:
    id: {label: Sample}
    text: {label: Text}
    auto_label:
      {label: Automatic, show: hidden, required: false,
       answers: {rater: auto, kind: automatic, question: label}}
    human_label: {label: By a person, show: hidden, required: false, exchange: label}
    notes: {label: Notes, show: hidden, required: false, exchange: notes}
questions:
  - id: label
    prompt: Which one
    type: choice
    options:
      - {value: SUPPORTED, description: It is}
      - {value: NO EVIDENCE, description: Nobody knows}
  - {id: notes, prompt: Say more, type: text, required: false}
""",
    source="slots.yaml",
)
