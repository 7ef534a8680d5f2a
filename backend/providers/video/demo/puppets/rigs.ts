import { readFileSync } from 'node:fs'
import type { Beast } from './beast.ts'

/** Reads figures by name. This module draws nothing, so that reading a prompt loads no canvas. */
export const loadRigs = <T>(name: string): Readonly<Record<string, T>> =>
  JSON.parse(readFileSync(new URL(`../rigs/${name}.json`, import.meta.url), 'utf8'))

export const BEASTS = loadRigs<Beast>('beasts')

export const isBeast = (name: string) => Object.hasOwn(BEASTS, name)
