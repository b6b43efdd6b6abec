// The next question is drawn half a frame after the key. Nobody can see the difference; the answer
// leaves first, and on a small machine has it for itself until it is stored. Of several drawings
// that wait the last counts.

export const LEAD = 8; // ms

export class Soon {
  // `timers` has set and clear: the window's, or a test's.
  constructor(timers) {
    this.timers = timers;
    this.drop();
  }

  do(draw) {
    this.draw = draw;
    this.timer ??= this.timers.set(() => this.now(), LEAD);
  }

  // Draws what waits, for whoever needs the page as it will be; true if something did wait.
  now() {
    const { draw } = this;
    this.drop();
    draw?.();
    return draw !== null;
  }

  drop() {
    this.timers.clear(this.timer);
    this.draw = this.timer = null;
  }
}
