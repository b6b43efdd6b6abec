"""Small rounds counted by hand: what a report's tables and numbers say of them, fact by fact."""


from tests.golden import rounds
from tests.golden.pages import plain


def said(section):
    return plain(section._repr_html_())


def test_two_columns_crossed_for_several_questions_are_lines_of_a_table(tmp_path):
    report = rounds.built("two-systems", tmp_path).read()
    text = said(report.breakdowns())
    assert "By domain and model" in text
    head = "| Question | maths, birch | maths, cedar | music, birch | music, cedar"
    assert head in text
