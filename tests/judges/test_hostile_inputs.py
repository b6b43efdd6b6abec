"""Files for judges that are broken, deep or huge: refused with the file's name and a remedy."""

import pytest

from raterbook.cli import main
from raterbook.judges import dry_run, take_replies

DEEP = "[" * 20_000 + "]" * 20_000
DEEP_OBJECT = '{"a":' * 20_000 + "1" + "}" * 20_000


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("- title: \xe9t\xe9\n".encode("latin-1"), "not UTF-8; save it as UTF-8"),
        (DEEP.encode(), "line 1: nested deeper than 30 levels"),
        (DEEP_OBJECT.encode(), "line 1: nested deeper than 30 levels"),
        (b"2024-13-45", "month must be in"),
        (b"- {title: a, answers: 5}", "example 1: fields: Field required; write title, fields and"),
    ],
)
def test_examples_that_cannot_be_read_are_refused_by_name(open_round, tmp_path, content, words):
    (tmp_path / "shots.yaml").write_bytes(content)
    with pytest.raises(ValueError, match=r"shots\.yaml") as caught:
        dry_run(open_round("halo-support"), examples=str(tmp_path / "shots.yaml"))
    assert words in str(caught.value)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (DEEP, "nested too deeply"),
        ('{"models": {"m": ' + DEEP + "}}", "nested too deeply"),
        (b"\xff\xfe", "not UTF-8; save it as UTF-8"),
        ('{"models": 5}', "5 is no table of models"),
        ('{"models": [1]}', "is no table of models"),
    ],
)
def test_prices_that_cannot_be_read_are_refused_by_name(open_round, tmp_path, content, words):
    data = content if isinstance(content, bytes) else content.encode()
    (tmp_path / "mine.json").write_bytes(data)
    with pytest.raises(ValueError, match=r"mine\.json.*(write \{.models|save it)") as caught:
        dry_run(open_round("halo-support"), prices=str(tmp_path / "mine.json"))
    assert words in str(caught.value)


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("r.jsonl", DEEP, "line 1: not JSON (nested too deeply)"),
        ("r.jsonl", DEEP_OBJECT, "line 1: not JSON (nested too deeply)"),
        (
            "r.jsonl",
            '{"id": "s1", "reply": "x", "replicate": 1e400}',
            "replicate inf is not a whole",
        ),
        (
            "r.jsonl",
            '{"id": "s1", "reply": "x", "replicate": ' + "9" * 30 + "}",
            "is not a whole numb",
        ),
        ("r.csv", "id,reply\ns1,yes, but\n", "row 2: 3 cells where the header has 2. Put replies"),
        ("r.csv", 'id,reply\ns1,"never closed\n', "row 2 opens a quote that is never closed"),
    ],
)
def test_replies_that_cannot_be_read_are_refused_by_name(
    open_round, tmp_path, name, content, words
):
    stored = open_round("halo-support")
    (tmp_path / name).write_text(content)
    with pytest.raises(ValueError, match=name.replace(".", r"\.")) as caught:
        take_replies(stored, tmp_path / name, "chat")
    assert words in str(caught.value)
    assert stored.raters() == [one for one in stored.raters() if one.kind == "automatic"]


def test_a_reply_of_200_000_letters_is_read_from_a_cell_as_from_a_line(open_round, tmp_path):
    stored = open_round("halo-support")
    (tmp_path / "r.csv").write_text("id,reply\ns1,SUPPORTED. " + "a" * 200_000 + "\n")
    assert take_replies(stored, tmp_path / "r.csv", "chat").total == 1


@pytest.mark.parametrize("replicates", ["0", "-1", "9" * 30])
@pytest.mark.parametrize("mode", [["--dry-run"], ["--prompts-out", "-"], []])
def test_no_replicates_are_nobody_s_wish(tmp_path, capsys, replicates, mode):
    (tmp_path / "items.csv").write_text(
        "id,question,context,generated_answer,gold_answer,auto_label,human_label,notes\n"
        "1,q,c,a,g,SUPPORTED,,\n"
    )
    place = ["--workspace", str(tmp_path)]
    assert (
        main(
            [
                *place,
                "open",
                "r",
                "--protocol",
                "halo-support",
                "--items",
                str(tmp_path / "items.csv"),
            ]
        )
        == 0
    )
    capsys.readouterr()
    assert (
        main(
            [
                *place,
                "judge",
                "r",
                "--model",
                "m",
                "--base-url",
                "http://127.0.0.1:9",
                "--replicates",
                replicates,
                *mode,
            ]
        )
        == 2
    )
    said = capsys.readouterr()
    assert "use 1 or more" in said.err
    assert not said.out
