// Time: plays, steps, seeks, and says which frame is due.
import {findFrame} from './data.js';

export class Player {
  constructor(replay, {onPlaying}) {
    this.replay = replay;
    this.onPlaying = onPlaying;
    this.speed = 1;
    this.playing = false;
    this.time = replay.time[0];
    this.last = 0;
  }

  toggle() {
    this.setPlaying(!this.playing);
  }

  setPlaying(playing) {
    if (playing && this.time >= this.replay.end) this.time = this.replay.time[0];
    this.playing = playing;
    this.last = performance.now();
    this.onPlaying(playing);
  }

  seek(time) {
    this.time = Math.min(Math.max(time, this.replay.time[0]), this.replay.end);
  }

  seekFrame(frame) {
    this.setPlaying(false);
    this.time = this.replay.time[Math.min(Math.max(frame, 0), this.replay.frames - 1)];
  }

  step(count) {
    this.seekFrame(findFrame(this.replay, this.time) + count);
  }

  // Moves on by the clock; {frame, part}: how far it is on the way to the next.
  advance(now) {
    if (this.playing) {
      this.time += this.speed * (now - this.last) / 1000;
      this.last = now;
      if (this.time >= this.replay.end) {
        this.time = this.replay.end;
        this.setPlaying(false);
      }
    }
    const {time} = this.replay;
    const frame = findFrame(this.replay, this.time);
    const span = frame + 1 < this.replay.frames ? time[frame + 1] - time[frame] : 0;
    return {frame, part: span > 0 ? Math.min(Math.max((this.time - time[frame]) / span, 0), 1) : 0};
  }
}
