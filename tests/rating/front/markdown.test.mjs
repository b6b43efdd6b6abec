import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";
import { readMarkdown } from "../../../raterbook/rating/front/markdown.js";

// The tree in a line: tag.kind(kid kid), and each stretch of the text in quotes.
const said = (text) => {
  const say = (part) => {
    if (Array.isArray(part)) return JSON.stringify(text.slice(...part));
    const name = [part.tag, part.kind].filter(Boolean).join(".") + (part.value ?? "");
    return part.kids.length ? `${name}(${part.kids.map(say).join(" ")})` : name;
  };
  return readMarkdown(text).map(say).join(" ");
};

const leaves = (parts) => parts.flatMap((part) => (Array.isArray(part) ? [part] : leaves(part.kids)));
const depth = (parts) =>
  1 + parts.reduce((most, part) => Math.max(most, Array.isArray(part) ? 0 : depth(part.kids)), 0);

const CASES = JSON.parse(readFileSync(new URL("markdown.json", import.meta.url), "utf-8"));

test("each piece of markup becomes its element, and what is none stays text", () => {
  for (const [text, tree] of CASES) assert.equal(said(text), tree, text);
});

// Numbers from a seed, the same in every run.
function* numbers(seed) {
  for (let state = seed; ; ) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    yield state / 2 ** 32;
  }
}

const SIGNS = ["**", "*", "_", "`", "```\n", "$", "$$", "\\", "\\(", "\\)", "\\[", "[", "](", ")", "!", "|", "|-|\n",
  "> ", "- ", "\n", "\n\n", "  ", "    ", "# ", "~~", "~~~\n", "---\n", "a", "word ", "é", "\t", "<b>", "\r\n", "(", '"'];

test("no letter of any text is lost, and pieces come in their order", () => {
  const random = numbers(7);
  const next = (count) => Math.floor(random.next().value * count);
  for (let round = 0; round < 4000; round += 1) {
    const text = Array.from({ length: 1 + next(40) }, () => SIGNS[next(SIGNS.length)]).join("");
    let end = 0;
    let shown = "";
    for (const [from, to] of leaves(readMarkdown(text))) {
      assert.ok(from >= end && to > from && to <= text.length, JSON.stringify(text));
      shown += text.slice(from, to);
      end = to;
    }
    const letters = (of) => of.replace(/[^\p{L}<>]/gu, "");
    assert.equal(letters(shown).replaceAll(">", ""), letters(text).replaceAll(">", ""), JSON.stringify(text));
  }
});

// Each is a sign that asks for an end which does not come, very many times.
const ENDLESS = ["[", "](", "[a](b ", "![", "*a ", "**a ", "_a", "~~a", "` a `` b ", "$a ", "$$", "\\(a ", "\\[\n", "$$\n# b\n",
  "> ", "- ", "- a\n", "  - a\n", "1. ", "|", "|a|\n|-|\n", "```\n~~~\n", "# #", "a\n", "\n", " ", "\t", "(", "\\", "*** ", "- - ",
  "[](a(", "***a**b*", "> - ", "~", "_ _ ", "\r\n", "*_", "*~_"];

test("a text of endless markup is read in steps that grow with its length, and is not deep", () => {
  for (const sign of ENDLESS) {
    const text = sign.repeat(Math.ceil(200_000 / sign.length));
    const before = process.cpuUsage();
    const tree = readMarkdown(text);
    assert.ok(process.cpuUsage(before).user < 2e6, `${sign}: over two seconds`);
    assert.ok(leaves(tree).length <= text.length, sign);
    assert.ok(depth(tree) < 60, `${sign}: ${depth(tree)}`);
  }
});
