// Between two items, or two steps, there is nothing to answer: keys wait for what is coming.

const GRACE = 500; // ms; later keys were pressed by somebody who could not see what they answer
const GIVE_UP = 3000; // ms until the form is the rater's again, with what is on the desk

export class Move {
  // `run(press)` does what the key asks for; `say(text)` tells the rater.
  constructor({ timers, run, say }) {
    Object.assign(this, { timers, run, say });
    this.since = null;
    this.held = [];
  }

  get isOn() {
    return this.since !== null;
  }

  begin() {
    if (this.isOn) return;
    this.since = this.timers.now();
    this.watch = this.timers.set(() => {
      this.held = [];
      this.end();
      this.say("The kernel does not answer yet. What you entered is kept; try again.");
    }, GIVE_UP);
  }

  hold(command) {
    if (this.timers.now() - this.since <= GRACE) this.held.push(command);
    else this.say("Not there yet: that key was not taken.");
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
  }
}
