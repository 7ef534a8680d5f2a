import { readFileSync } from 'node:fs'

/** Reads figures by name. This module draws nothing, so that reading a prompt loads no canvas. */
export const loadRigs = <T>(name: string): Readonly<Record<string, T>> =>
  JSON.parse(readFileSync(new URL(`../rigs/${name}.json`, import.meta.url), 'utf8'))

const BEASTS = loadRigs('beasts')

export const isBeast = (name: string) => Object.hasOwn(BEASTS, name)
