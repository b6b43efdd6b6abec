// Between two items, or two steps, there is nothing to answer: keys wait for what is coming.

const GRACE = 500; // ms; later keys were pressed by somebody who could not see what they answer
const GIVE_UP = 3000; // ms until the form is the rater's again, with what is on the desk

function presses(count) {
  return count === 1 ? "1 key or click" : `${count} keys or clicks`;
}

export class Move {
  // `run(press)` does what the key asks for; `say(text)` tells the rater.
  constructor({ timers, run, say }) {
    Object.assign(this, { timers, run, say });
    this.since = null;
    this.held = [];
    this.dropped = 0; // what was pressed meanwhile and taken by nothing
    this.gaveUp = false;
    this.stays = false; // the rater went on with what is on the desk
  }

  get isOn() {
    return this.since !== null;
  }

  begin() {
    if (this.isOn) return;
    this.gaveUp = this.stays = false;
    this.since = this.timers.now();
    this.watch = this.timers.set(() => this.giveUp(), GIVE_UP);
  }

  giveUp() {
    const lost = this.held.length + this.dropped;
    this.held = [];
    this.dropped = 0;
    this.end();
    this.gaveUp = true;
    const but = lost ? ` ${presses(lost)} since then ${lost === 1 ? "was" : "were"} not taken.` : "";
    this.say(`The kernel does not answer yet. What you entered is kept; try again.${but}`);
  }

  // The rater answers here: what was given up and comes after all must not take this away.
  work() {
    if (this.gaveUp) this.stays = true;
  }

  hold(command) {
    if (this.timers.now() - this.since <= GRACE) this.held.push(command);
    else this.drop();
  }

  drop() {
    this.dropped += 1;
    this.say("Not there yet: that was not taken.");
  }

  // What was coming is there: the keys held go to it, until the next move begins.
  end() {
    if (!this.isOn) return;
    this.timers.clear(this.watch);
    this.since = null;
    const held = this.held;
    this.held = [];
    while (held.length && !this.isOn) this.run(held.shift());
    if (this.isOn) this.held.push(...held);
    const { dropped } = this;
    this.dropped = 0;
    if (!dropped) return;
    const were = dropped === 1 ? "was" : "were";
    this.say(`${presses(dropped)} came before this was here and ${were} not taken.`);
  }
}
