// Percentages between 0 and 1 are written with their sign: .5 alone could be a half or half a per
// cent, and the store, like the files, refuses it.

export function asPercent(value) {
  return typeof value === "number" && value > 0 && value < 1 ? `${value}%` : value;
}

// What was sent so and stands in the outbox, as the number it is.
export function fromPercent(value) {
  return typeof value === "string" ? Number(value.replace("%", "")) : value;
}
