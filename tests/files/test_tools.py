"""What other annotation tools export: Label Studio's and Argilla's JSON."""

import json

import pytest

from raterbook.files import export_answers, import_answers
from raterbook.rounds import Event, FileError

from .rounds import protocol_round


@pytest.fixture
def halo(tmp_path):
    return protocol_round(tmp_path, "halo-support", models=("",))


@pytest.fixture
def feedback(tmp_path):
    return protocol_round(tmp_path, "feedback-quality")


def put(folder, content):
    (folder / "export.json").write_text(json.dumps(content), encoding="utf-8")
    return folder / "export.json"


def values(stored):
    frame = stored.frame(texts=True)
    frame = frame[frame["rater_kind"] == "human"]
    return sorted(map(tuple, frame[["item", "rater", "question", "value"]].values.tolist()))


def task(result, data=None, **annotation):
    return {
        "id": 7,
        "data": data or {"id": "c1", "question": "q"},
        "predictions": [],
        "annotations": [
            {
                "completed_by": {"id": 3, "email": "ana@lab.org"},
                "result": result,
                "was_cancelled": False,
                "lead_time": 4.2,
                "updated_at": "2024-06-01T12:00:00.5Z",
                **annotation,
            }
        ],
    }


def test_label_studio_choices_and_texts(halo, tmp_path):
    label = {
        "from_name": "label",
        "to_name": "x",
        "type": "choices",
        "value": {"choices": ["Supported"]},
    }
    notes = {
        "from_name": "Notes",
        "to_name": "x",
        "type": "textarea",
        "value": {"text": ["One.", "Two."]},
    }
    summary = import_answers(
        halo,
        put(
            tmp_path,
            [
                task([label, notes]),
                task([label], {"id": "c2"}, completed_by=9, was_cancelled=True),
            ],
        ),
    )
    assert values(halo) == [
        ("c1", "ana@lab.org", "label", "SUPPORTED"),
        ("c1", "ana@lab.org", "notes", "One.\nTwo."),
    ]
    assert "1 cancelled annotations were left alone" in summary.notes[0]
    frame = halo.frame()
    assert str(frame.loc[frame["rater"] == "ana@lab.org", "answered_at"].iloc[0]).startswith(
        "2024-06-01 12:00:00.5"
    )


def test_label_studio_ratings_and_numbers(feedback, tmp_path):
    import_answers(
        feedback,
        put(
            tmp_path,
            [
                task(
                    [
                        {"from_name": "clarity", "type": "rating", "value": {"rating": 4}},
                        {"from_name": "confidence", "type": "number", "value": {"number": 85.0}},
                    ],
                    {"id": "c1", "model": "m2"},
                    completed_by=12,
                )
            ],
        ),
        kind="human",
    )
    assert values(feedback) == [
        ("c1/m2", "12", "clarity", "4"),
        ("c1/m2", "12", "confidence", "85"),
    ]


@pytest.mark.parametrize(
    ("result", "data", "message"),
    [
        (
            {
                "from_name": "label",
                "type": "choices",
                "value": {"choices": ["SUPPORTED", "CONTRADICTED"]},
            },
            None,
            "row 1, column label: 2 choices .SUPPORTED, CONTRADICTED. where one is asked",
        ),
        (
            {"from_name": "mood", "type": "choices", "value": {"choices": ["x"]}},
            None,
            "mood is no question of halo-support. Name the control after one of label, notes",
        ),
        (
            {"from_name": "label", "type": "choices", "value": {"choices": ["x"]}},
            None,
            "export.json, row 1, column label: 'x' is not one of SUPPORTED, CONTRADICTED, "
            "NO EVIDENCE",
        ),
        (
            {"from_name": "label", "type": "rectanglelabels", "value": {}},
            None,
            "rectanglelabels results cannot be read",
        ),
        (
            {"from_name": "label", "type": "choices", "value": {"choices": ["SUPPORTED"]}},
            {"x": 1},
            "the task's data name no item. They need id",
        ),
        (
            {"from_name": "label", "type": "choices", "value": {"choices": ["SUPPORTED"]}},
            {"id": "c9"},
            "c9 is no item of the round",
        ),
    ],
)
def test_a_label_studio_export_that_cannot_be_taken_says_why(halo, tmp_path, result, data, message):
    with pytest.raises(FileError, match=message):
        import_answers(halo, put(tmp_path, [task([result], data)]))


def test_argilla_records_with_responses_by_question(feedback, tmp_path):
    user = "3e760b76-e19a-480a-b436-a85812b98843"
    summary = import_answers(
        feedback,
        put(
            tmp_path,
            [
                {
                    "id": "1",
                    "status": "completed",
                    "fields": {"text": "t"},
                    "metadata": {"id": "c1", "model": "m1"},
                    "suggestions": {},
                    "vectors": {},
                    "responses": {
                        "tone": [
                            {"value": 4, "user_id": user, "status": "submitted"},
                            {"value": 1, "user_id": "other", "status": "discarded"},
                        ],
                        "overall_reason": [{"value": "=good", "user_id": user}],
                    },
                },
            ],
        ),
    )
    assert values(feedback) == [
        ("c1/m1", user, "overall_reason", "=good"),
        ("c1/m1", user, "tone", "4"),
    ]
    assert "1 drafts and discarded responses were left alone" in summary.notes[0]


def test_argilla_flattened_records(halo, tmp_path):
    import_answers(
        halo,
        put(
            tmp_path,
            [
                {
                    "id": "c1",
                    "status": "completed",
                    "question": "q",
                    "label.suggestion": "SUPPORTED",
                    "label.responses": ["SUPPORTED", "no evidence"],
                    "label.responses.users": ["u1", "u2"],
                    "label.responses.status": ["submitted", "submitted"],
                },
            ],
        ),
    )
    assert values(halo) == [
        ("c1", "u1", "label", "SUPPORTED"),
        ("c1", "u2", "label", "NO EVIDENCE"),
    ]


def test_argilla_1_records(halo, tmp_path):
    import_answers(
        halo,
        put(
            tmp_path,
            {
                "records": [
                    {
                        "external_id": "c2",
                        "fields": {"answer": "x"},
                        "metadata": {},
                        "responses": [
                            {
                                "user_id": "u1",
                                "status": "submitted",
                                "values": {"label": {"value": "CONTRADICTED"}},
                            },
                            {
                                "user_id": "u2",
                                "status": "draft",
                                "values": {"label": {"value": "SUPPORTED"}},
                            },
                        ],
                    },
                ]
            },
        ),
    )
    assert values(halo) == [("c2", "u1", "label", "CONTRADICTED")]


def test_argilla_rankings_are_refused(halo, tmp_path):
    with pytest.raises(FileError, match=r"not one label, one rating or one text"):
        import_answers(
            halo,
            put(
                tmp_path,
                [
                    {"id": "c1", "responses": {"label": [{"value": ["a", "b"], "user_id": "u1"}]}},
                ],
            ),
        )


def test_label_studio_gets_choices_stars_numbers_and_texts_with_what_raters_see(tmp_path):
    stored = protocol_round(tmp_path, "feedback-quality")
    stored.add_rater("ana")
    stored.add_rater("gpt", "model")
    stored.save(
        "ana",
        [
            Event(None, "c1/m1", "tone", 4),
            Event(None, "c1/m1", "overall", 3.5),
            Event(None, "c1/m1", "overall_reason", "=so\nso"),
            Event(None, "c1/m1", "confidence", 85),
        ],
    )
    stored.save("gpt", [Event(None, "c1/m1", "tone", 2)])
    said = export_answers(stored, tmp_path / "out.json", "label-studio")
    assert said.left_out == ("answers of gpt", "when each answer was given")
    (written,) = json.loads((tmp_path / "out.json").read_text(encoding="utf-8"))
    assert written["data"]["item"] == "c1/m1"
    assert "model" not in written["data"]
    (annotation,) = written["annotations"]
    assert annotation["completed_by"] == {"id": 1, "email": "ana"}
    assert [(each["from_name"], each["type"], each["value"]) for each in annotation["result"]] == [
        ("tone", "rating", {"rating": 4}),
        ("overall", "number", {"number": 3.5}),
        ("overall_reason", "textarea", {"text": ["=so\nso"]}),
        ("confidence", "number", {"number": 85}),
    ]


def test_argilla_gets_ratings_as_numbers_and_all_other_numbers_as_texts(tmp_path):
    stored = protocol_round(tmp_path, "feedback-quality")
    stored.add_rater("ana")
    stored.save(
        "ana",
        [
            Event(None, "c1/m1", "tone", 4),
            Event(None, "c1/m1", "overall", 3.5),
            Event(None, "c1/m1", "confidence", 7),
        ],
    )
    export_answers(stored, tmp_path / "out.json", "argilla")
    (record,) = json.loads((tmp_path / "out.json").read_text(encoding="utf-8"))
    assert record["metadata"] == {"item": "c1/m1"}
    assert {name: each[0]["value"] for name, each in record["responses"].items()} == {
        "tone": 4,
        "overall": "3.5",
        "confidence": "7",
    }
    with pytest.raises(FileError, match=r"out.csv: the layout argilla is JSON. End its name in"):
        export_answers(stored, tmp_path / "out.csv", "argilla")
