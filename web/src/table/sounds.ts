// Short sounds, made here: no files to load. Browsers let a page sound only after the person has done something.

import { preferences } from '../preferences.svelte'

export type Sound = 'move' | 'dice' | 'won' | 'lost' | 'over' | 'hurry' | 'guest'

let context: AudioContext | null = null

/** To be called once: the first deed of the person lets sounds be heard. */
export function listenForFirstDeed(): () => void {
  const begin = () => {
    if (preferences.sound) context ??= new AudioContext()
  }
  const deeds = ['pointerdown', 'keydown'] as const
  for (const deed of deeds) addEventListener(deed, begin)
  return () => deeds.forEach((deed) => removeEventListener(deed, begin))
}

export function play(sound: Sound): void {
  if (!context || !preferences.sound || document.hidden) return
  void context.resume()
  SOUNDS[sound](context.currentTime)
}

const SOUNDS: Record<Sound, (at: number) => void> = {
  move: (at) => (knock(at, 900, 0.05, 0.5), tone(at, 190, 0.09, 0.25)),
  dice: (at) => [0, 0.07, 0.13, 0.22, 0.34].forEach((after, index) => knock(at + after, 1600 - 150 * index, 0.04, 0.35)),
  won: (at) => [523, 659, 784, 1047].forEach((pitch, index) => tone(at + 0.11 * index, pitch, 0.3, 0.14)),
  lost: (at) => [392, 330, 262].forEach((pitch, index) => tone(at + 0.16 * index, pitch, 0.32, 0.12)),
  over: (at) => [440, 440].forEach((pitch, index) => tone(at + 0.2 * index, pitch, 0.25, 0.12)),
  hurry: (at) => [880, 880].forEach((pitch, index) => tone(at + 0.15 * index, pitch, 0.08, 0.15)),
  guest: (at) => [392, 523].forEach((pitch, index) => tone(at + 0.12 * index, pitch, 0.18, 0.12)),
}

function tone(at: number, pitch: number, seconds: number, loudness: number): void {
  const source = context!.createOscillator()
  source.type = 'triangle'
  source.frequency.value = pitch
  source.connect(fading(at, seconds, loudness))
  source.start(at)
  source.stop(at + seconds)
}

/** Wood on wood: a moment of noise around a pitch. */
function knock(at: number, pitch: number, seconds: number, loudness: number): void {
  const length = Math.ceil(seconds * context!.sampleRate)
  const noise = context!.createBuffer(1, length, context!.sampleRate)
  noise.getChannelData(0).forEach((_, index, samples) => (samples[index] = Math.random() * 2 - 1))
  const [source, filter] = [context!.createBufferSource(), context!.createBiquadFilter()]
  source.buffer = noise
  filter.type = 'bandpass'
  filter.frequency.value = pitch
  source.connect(filter).connect(fading(at, seconds, loudness))
  source.start(at)
}

function fading(at: number, seconds: number, loudness: number): GainNode {
  const gain = context!.createGain()
  gain.gain.setValueAtTime(loudness, at)
  gain.gain.exponentialRampToValueAtTime(0.001, at + seconds)
  gain.connect(context!.destination)
  return gain
}
