"""A sitting of long items with the wheel: to the source's end, then to question and answer."""

import pytest

_SENTENCE = "Colleges keep attendance records for every learner, and send them in by 31 July. "
_NOTCH = 50  # pixels of one wheel event
# Pixels of the wheel that the form of commit d51d087, with panes in panes, needed for the same
# sittings.
BEFORE = {"neureg-qa": 21_500, "halo-support": 19_350, "stem-sentences": 19_850}
SITTINGS = {
    "neureg-qa": (("end", "Source text"), ("start", "Question"), ("start", "Answer")),
    "halo-support": (("end", "Context"), ("start", "Question"), ("start", "Generated answer")),
    "stem-sentences": (("end", "Article"), ("start", "Question"), ("start", "Response")),
}
# Where the wheel brings an end of a field nearer to view, and which way; null once it is there.
_WHEEL = """([end, label]) => {
  const named = (one) => one.querySelector('.rb-label')?.textContent.startsWith(label);
  const field = [...document.querySelectorAll('.rb-field')].find(named);
  const blocks = [...field.querySelectorAll('.rb-block')];
  const block = end === 'end' ? blocks.at(-1) : blocks[0];
  const scrolls = (node) => ['auto', 'scroll'].includes(getComputedStyle(node).overflowY)
    && node.scrollHeight > node.clientHeight + 1;
  const scrollerAt = (x, y) => {
    let node = document.elementFromPoint(x, y);
    while (node && !scrolls(node)) node = node.parentElement;
    return node;
  };
  for (let node = block.parentElement; node; node = node.parentElement) {
    if (!scrolls(node)) continue;
    const { top, bottom } = block.getBoundingClientRect();
    const [above, below] = end === 'end' ? [bottom - 20, bottom] : [top, top + 20];
    const frame = node.getBoundingClientRect();
    const way = below > frame.bottom + 1 ? 1 : above < frame.top - 1 ? -1 : 0;
    const room = way > 0 ? node.scrollHeight - node.clientHeight - node.scrollTop : node.scrollTop;
    if (!way || room <= 1) continue;
    for (let y = frame.top + 3; y < Math.min(frame.bottom, innerHeight); y += 7) {
      for (let x = frame.left + 2; x < frame.right; x += 37) {
        if (scrollerAt(x, y) === node) return { x, y, way };
      }
    }
  }
  return null;
}"""


def items(protocol):
    """Twenty, each with a source of 30 to 68 sentences."""
    for number in range(20):
        source, said = _SENTENCE * (30 + 2 * number), _SENTENCE * (3 + number % 4)
        yield {
            "neureg-qa": {
                "qa_id": f"p{number}",
                "question_type": "factual",
                "shot_type": "zero_shot",
                "question": _SENTENCE,
                "answer": said,
                "source_context": source,
                "source_kg": "\n".join(f"Office {n} → checks → College {n}" for n in range(15)),
            },
            "halo-support": {
                "id": f"h{number}",
                "question": _SENTENCE,
                "context": source,
                "generated_answer": said,
                "auto_label": "SUPPORTED",
            },
            "stem-sentences": {
                "question_id": f"q{number}",
                "question": _SENTENCE,
                "article_id": f"a{number}",
                "article": source,
                "model": "birch",
                "response": said,
            },
        }[protocol]


@pytest.mark.parametrize("protocol", SITTINGS)
def test_a_sitting_of_twenty_long_items_needs_seven_tenths_of_the_wheel_it_did(bare_desk, protocol):
    desk = bare_desk(protocol, list(items(protocol)), size=(1366, 650))
    wheeled = 0
    for position in range(1, 21):
        desk.wait_for_position(position)
        for wanted in SITTINGS[protocol]:
            while place := desk.page.evaluate(_WHEEL, list(wanted)):
                desk.page.mouse.move(place["x"], place["y"])
                desk.page.mouse.wheel(0, place["way"] * _NOTCH)
                desk.page.wait_for_timeout(30)
                wheeled += _NOTCH
        desk.form.focus()
        desk.press("]")
    assert wheeled <= 0.7 * BEFORE[protocol]
