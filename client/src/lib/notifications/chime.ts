const NOTES = [659.25, 987.77] as const;
const NOTE_SECONDS = 0.14;
const FADE_SECONDS = 0.5;
const LOUDNESS = 0.12;

/** Plays a short, soft sound; browsers allow none before the first click on a page. */
export async function playChime(): Promise<void> {
  if (!navigator.userActivation?.hasBeenActive) return;
  const audio = new AudioContext();
  await audio.resume();
  const ends = NOTES.map((frequency, index) => playNote(audio, { frequency, index }));
  await Promise.all(ends);
  await audio.close();
}

function playNote(
  audio: AudioContext,
  { frequency, index }: { frequency: number; index: number },
): Promise<void> {
  const startAt = audio.currentTime + index * NOTE_SECONDS;
  const endAt = startAt + FADE_SECONDS;
  const note = new OscillatorNode(audio, { frequency });
  const volume = new GainNode(audio, { gain: 0 });
  volume.gain.setValueAtTime(0, startAt);
  volume.gain.linearRampToValueAtTime(LOUDNESS, startAt + 0.015);
  volume.gain.exponentialRampToValueAtTime(0.0001, endAt);
  note.connect(volume).connect(audio.destination);
  note.start(startAt);
  note.stop(endAt);
  return new Promise((resolve) => note.addEventListener("ended", () => resolve(), { once: true }));
}
