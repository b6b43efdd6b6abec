import assert from "node:assert/strict";
import test from "node:test";
import { readFormula } from "../../../raterbook/rating/front/formula.js";

// The tree in a line: tag(kid kid), letters as they are drawn.
const say = ({ tag, kids, text, drawn }) => (tag ? `${tag}(${kids.map(say).join(" ")})` : (drawn ?? text));
const said = (source) => {
  const tree = readFormula(source);
  return tree && tree.kids[0].kids.map(say).join(" ");
};
const leaves = (part) => (part.tag ? part.kids.flatMap(leaves) : [part]);

const CASES = [
  ["E = mc^2", "mi(E) mo(=) mi(m) msup(mi(c) mn(2))"],
  ["x_1^2", "msubsup(mi(x) mn(1) mn(2))"],
  ["x^12", "msup(mi(x) mn(1)) mn(2)"],
  ["\\frac{a}{b+1}", "mfrac(mi(a) mrow(mi(b) mo(+) mn(1)))"],
  ["\\frac12", "mfrac(mn(1) mn(2))"],
  ["\\alpha \\le 12.5", "mi(α) mo(≤) mn(12.5)"],
  ["\\sqrt[3]{x}", "mroot(mi(x) mn(3))"],
  ["\\sum_{i=1}^n x_i", "munderover(mo(∑) mrow(mi(i) mo(=) mn(1)) mi(n)) msub(mi(x) mi(i))"],
  ["f''(x)", "msup(mi(f) mrow(mo(′) mo(′))) mo(() mi(x) mo())"],
  ["10^{-3}\\,\\mathrm{mol}", "msup(mn(10) mrow(mo(−) mn(3))) mspace() mi(mol)"],
  ["\\left( x \\right.", "mrow(mo(() mi(x))"],
  ["\\begin{pmatrix} 1 & 0 \\\\ 0 & 1 \\end{pmatrix}",
    "mrow(mo(() mtable(mtr(mtd(mn(1)) mtd(mn(0))) mtr(mtd(mn(0)) mtd(mn(1)))) mo()))"],
  ["\\text{mean of } \\hat{y}", "mtext(mean of ) mover(mi(y) mo(^))"],
  ["\\mathbb{R}^n", "msup(mi(ℝ) mi(n))"],
  ["12\\%", "mn(12) mi(%)"],
];

test("a formula of known commands is its tree of MathML", () => {
  for (const [source, tree] of CASES) assert.equal(said(source), tree, source);
});

// Whatever is not known whole is shown as it was written: nothing is drawn of half of it.
const UNKNOWN = ["\\rule{30em}{9em}", "\\href{javascript:alert(1)}{x}", "\\color{red}{0.99}", "\\def\\a{b}", "\\include{x}",
  "\\unicode{x41}", "\\class{a}{b}", "x^", "{", "a}", "\\frac{a}", "\\left( x", "\\begin{tikz}\\end{tikz}", "\\text{a{b}}",
  "\\mathbb{x}", "a & b", "x^2^3", "\\", "#1", "  ", "\\begin{cases} 1"];

test("a formula with an unknown command or an end that does not come is none", () => {
  for (const source of UNKNOWN) assert.equal(readFormula(source), null, source);
});

const DRAWN = new Set("math mrow mi mn mo mtext mspace mfrac msqrt mroot msub msup msubsup munder mover munderover mtable mtr mtd".split(" "));
const ATTRIBUTES = new Set(["stretchy", "largeop", "width", "accent", "class"]);
const SIGNS = ["\\frac", "\\sqrt", "[", "]", "{", "}", "^", "_", "'", "x", "12", "\\alpha", "\\sum", "\\left(", "\\right)", "\\hat",
  "\\text{a}", "\\begin{matrix}", "\\end{matrix}", "&", "\\\\", "<img src=x onerror=y>", "\\href", "-", " ", "\u202e", "é", "|"];

test("of any text only known elements are made, whose letters are the source's, in time that grows with it", () => {
  let state = 7;
  const next = (count) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * count);
  };
  let read = 0;
  for (let round = 0; round < 6000; round += 1) {
    const source = Array.from({ length: 1 + next(12) }, () => SIGNS[next(SIGNS.length)]).join("");
    const tree = readFormula(source);
    if (!tree) continue;
    read += 1;
    const check = ({ tag, kids, more }) => {
      if (!tag) return;
      assert.ok(DRAWN.has(tag) && Object.keys(more).every((name) => ATTRIBUTES.has(name)), source);
      kids.forEach(check);
    };
    check(tree);
    for (const { drawn, text, from, to } of leaves(tree)) {
      if (drawn !== undefined) continue;
      assert.ok(from >= 0 && from < to && to <= source.length, source);
      assert.ok([...text].length === 1 || source.slice(from, to) === text, source);
    }
  }
  assert.ok(read > 500);
});

test("what is nested without end, or very long, is none and ends", () => {
  for (const sign of ["{", "\\hat", "\\frac", "\\sqrt{", "x^{", "\\left(", "\\begin{matrix}", "\\text{", "\\text"]) {
    assert.equal(readFormula(sign.repeat(400)), null, sign);
    assert.equal(readFormula(sign.repeat(200_000)), null, sign);
  }
  const deep = (count) => `${"{".repeat(count)}x${"}".repeat(count)}`;
  assert.ok(readFormula(deep(10)));
  assert.equal(readFormula(deep(30)), null);
});
