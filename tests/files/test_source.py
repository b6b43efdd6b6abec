"""The eight-column file of halo-support: the same bytes, but for labels and notes."""

import pandas as pd
import pytest

from raterbook.files import export_answers, import_answers, read_items
from raterbook.protocols import load
from raterbook.rounds import Event, FileError, Store

HALO = load("halo-support")
HEADER = "id,question,context,generated_answer,gold_answer,auto_label,human_label,notes"
ROWS = [
    's1,"Who, then?","line one\r\nline two ","  He said ""so"".",,SUPPORTED,,',
    's2,q2,"a ""quoted"" word",=1+1,gold,no_evidence,, ',
    's3, spaced ,ctx,answer,"",CONTRADICTED,,',
]
BYTES = ("\ufeff" + "\r\n".join([HEADER, *ROWS]) + "\r\n").encode()


@pytest.fixture
def halo(tmp_path):
    def open_(data, name="r"):
        (tmp_path / "items.csv").write_bytes(data)
        items = read_items(tmp_path / "items.csv", HALO)
        return Store(tmp_path / f"{name}.sqlite").open(name, HALO, items)

    return open_


def exported(stored, tmp_path, layout="source"):
    summary = export_answers(stored, tmp_path / "out.csv", layout)
    return (tmp_path / "out.csv").read_bytes(), summary


@pytest.mark.parametrize("layout", ["source", "wide"])
@pytest.mark.parametrize(
    "data",
    [
        BYTES,
        BYTES.removeprefix("\ufeff".encode()),
        BYTES.replace(b"\r\n", b"\n"),
        BYTES.replace(b"\r\n", b"\r"),
        BYTES.rstrip(b"\r\n"),
        BYTES + b"\r\n\r\n",
        BYTES.replace(b"s2,q2", b'"s2","q2"'),
        BYTES.decode("utf-8-sig").encode("utf-16"),
        BYTES.decode("utf-8-sig").replace("Who", "Où").encode("cp1252"),
        BYTES.replace(b",,\r\n", b",no_evidence ,maybe\r\n"),
        BYTES.decode("utf-8-sig").replace(",", ";").encode(),
    ],
    ids=[
        "as it is",
        "no mark",
        "LF",
        "CR",
        "no last newline",
        "blank rows",
        "needless quotes",
        "UTF-16",
        "Windows-1252",
        "labels nobody imported",
        "semicolons",
    ],
)
def test_nothing_changes_when_nothing_was_answered(halo, tmp_path, data, layout):
    assert exported(halo(data), tmp_path, layout)[0] == data


def test_only_label_and_notes_cells_change(halo, tmp_path):
    stored = halo(BYTES)
    (tmp_path / "a.csv").write_text(
        'id,human_label,notes\ns1,supported,\ns2,NOT a label,"x"\n', encoding="utf-8"
    )
    with pytest.raises(FileError, match=r"a.csv, row 3, column human_label: 'NOT a label'"):
        import_answers(stored, tmp_path / "a.csv", rater="ana")
    (tmp_path / "a.csv").write_text(
        'id,human_label,notes\ns1,supported,\ns2,No-Evidence ,"two\nlines, =x"\ns3,,=odd\n',
        encoding="utf-8",
    )
    import_answers(stored, tmp_path / "a.csv", rater="ana")
    data, summary = exported(stored, tmp_path)
    wanted = (
        BYTES.replace(b"SUPPORTED,,\r\n", b"SUPPORTED,SUPPORTED,\r\n")
        .replace(b"no_evidence,, ", b'no_evidence,NO EVIDENCE,"two\nlines, =x"')
        .replace(b"CONTRADICTED,,", b"CONTRADICTED,,'=odd")
    )
    assert data == wanted
    assert "rater's name (ana" in str(summary)


def test_a_label_that_is_there_already_keeps_its_spelling(halo, tmp_path):
    data = BYTES.replace(b"SUPPORTED,,\r\n", b"SUPPORTED,supported ,\r\n")
    stored = halo(data)
    import_answers(stored, tmp_path / "items.csv", rater="ana")
    assert exported(stored, tmp_path)[0] == data


def test_open_says_that_filled_labels_were_left_alone(tmp_path):
    (tmp_path / "items.csv").write_bytes(BYTES.replace(b"SUPPORTED,,\r\n", b"SUPPORTED,x,\r\n"))
    items = read_items(tmp_path / "items.csv", HALO)
    assert items.notes == (
        "items.csv: 1 filled cells in human_label were left alone; take them in with: "
        "raterbook import ROUND items.csv --rater NAME",
    )


def test_a_filled_label_needs_to_know_whose_it_is(halo, tmp_path):
    stored = halo(BYTES.replace(b"SUPPORTED,,\r\n", b"SUPPORTED,supported,\r\n"))
    with pytest.raises(FileError, match=r"human_label.* is filled.*--rater NAME"):
        import_answers(stored, tmp_path / "items.csv")


def test_several_people_get_a_column_each_and_the_consensus_stands_in_the_middle(halo, tmp_path):
    stored = halo(BYTES)
    lines = ["item,rater,question,value"]
    for rater, labels in {"ana": "SCS", "ben": "SCC", "eve, jr": "SN "}.items():
        for number, letter in enumerate(labels, start=1):
            if letter.strip():
                label = {"S": "SUPPORTED", "C": "CONTRADICTED", "N": "NO EVIDENCE"}[letter]
                lines.append(f's{number},"{rater}",label,{label}')
    (tmp_path / "long.csv").write_text("\n".join(lines), encoding="utf-8")
    import_answers(stored, tmp_path / "long.csv")
    rows = exported(stored, tmp_path)[0].decode("utf-8-sig").split("\r\n")
    assert rows[0] == HEADER + ',human_label_ana,human_label_ben,"human_label_eve, jr"'
    assert rows[2].endswith(",SUPPORTED,SUPPORTED,,SUPPORTED,SUPPORTED,SUPPORTED")
    assert ",no_evidence,CONTRADICTED, ,CONTRADICTED,CONTRADICTED,NO EVIDENCE" in rows[3]
    assert rows[4].endswith(",CONTRADICTED,,,SUPPORTED,CONTRADICTED,")  # no majority

    other = halo(BYTES, "second")
    summary = import_answers(other, tmp_path / "out.csv")
    assert (summary.added, summary.raters) == (8, ("ana", "ben", "eve, jr"))


def test_what_the_file_cannot_say_is_named_or_refused(halo, tmp_path):
    stored = halo(BYTES)
    lines = [
        "item,rater,question,value,status,seconds",
        "s1,ana,label,SUPPORTED,,3.5",
        "s2,ana,label,,skipped,",
    ]
    (tmp_path / "long.csv").write_text("\n".join(lines), encoding="utf-8")
    import_answers(stored, tmp_path / "long.csv")
    data, summary = exported(stored, tmp_path)
    assert data == BYTES.replace(b"SUPPORTED,,\r\n", b"SUPPORTED,SUPPORTED,\r\n")
    assert str(summary).endswith(
        "not in this file: the rater's name (ana: give it with --rater), skipped, seconds"
    )
    lines = ["item,rater,question,value,replicate", "s1,ben,label,SUPPORTED,1"]
    (tmp_path / "long.csv").write_text("\n".join(lines), encoding="utf-8")
    import_answers(stored, tmp_path / "long.csv")
    header = exported(stored, tmp_path)[0].decode("utf-8-sig").split("\r\n")[0]
    assert header.endswith(',human_label_ben,"(not in this file: skipped, seconds)"')
    (tmp_path / "long.csv").write_text(
        "\n".join([*lines, "s1,ben,label,CONTRADICTED,2"]), encoding="utf-8"
    )
    import_answers(stored, tmp_path / "long.csv")
    with pytest.raises(FileError, match=r"source cannot carry several replicates. Use long"):
        exported(stored, tmp_path)


def test_items_that_came_later_have_no_row_in_the_file(halo, tmp_path):
    stored = halo(BYTES)
    (tmp_path / "more.csv").write_text(HEADER + "\ns9,q,c,a,,SUPPORTED,,\n", encoding="utf-8")
    stored.add_items(read_items(tmp_path / "more.csv", HALO))
    with pytest.raises(FileError, match=r"1 items came after"):
        exported(stored, tmp_path)


def test_source_is_refused_where_it_cannot_carry_the_answers(tmp_path):
    from .rounds import answer_all, protocol_round

    stored = protocol_round(tmp_path, "feedback-quality")
    answer_all(stored)
    with pytest.raises(FileError, match=r"no column for answers.*Use long or wide"):
        exported(stored, tmp_path)


def test_an_excluded_rater_has_no_column_and_no_say_in_the_consensus(halo, tmp_path):
    stored = halo(BYTES)
    (tmp_path / "long.csv").write_text(
        "item,rater,question,value\n"
        "s1,ana,label,SUPPORTED\ns1,ben,label,SUPPORTED\ns1,eve,label,CONTRADICTED\n",
        encoding="utf-8",
    )
    import_answers(stored, tmp_path / "long.csv")
    stored.exclude("ben", "did not read the guide")
    stored.exclude("ana", "did not read the guide")
    text = exported(stored, tmp_path)[0].decode("utf-8-sig")
    assert "human_label_ana" not in text
    assert ",SUPPORTED,CONTRADICTED," in text  # the checker's label, then eve's
    assert "SUPPORTED,SUPPORTED" not in text


@pytest.mark.parametrize(
    ("adjudicators", "stands"),
    [
        (("NO EVIDENCE",), "NO EVIDENCE"),
        (("NO EVIDENCE", "NO EVIDENCE", "CONTRADICTED"), "NO EVIDENCE"),
        (("CONTRADICTED", "NO EVIDENCE"), "SUPPORTED"),
        ((), "SUPPORTED"),
    ],
)
def test_adjudicators_settle_a_label_by_their_majority_else_the_people_s_stands(
    halo, tmp_path, adjudicators, stands
):
    stored = halo(BYTES)
    item = stored.items()[0]
    said = {
        "ana": "SUPPORTED",
        "ben": "SUPPORTED",
        **{f"judge{n}": value for n, value in enumerate(adjudicators)},
    }
    for rater, value in said.items():
        stored.add_rater(rater, kind="adjudicator" if rater.startswith("judge") else None)
        assert stored.save(rater, [Event(None, item.key, "label", value)])[0].ok
    export_answers(stored, tmp_path / "out.csv", "source")
    rows = pd.read_csv(tmp_path / "out.csv", dtype=str).set_index("id")
    assert rows.loc[item.key, "human_label"] == stands
