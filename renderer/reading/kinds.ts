import { readFileSync } from 'node:fs'

type Kind = 'person' | 'mount' | 'boat' | 'general' | 'grounded' | 'floating' | 'young' | 'small' | 'group'

const LISTS: Readonly<Record<Kind, string>> = JSON.parse(readFileSync(new URL('./kinds.json', import.meta.url), 'utf8'))
const KINDS = new Map(Object.entries(LISTS).map(([kind, names]) => [kind, new Set(names.split(' '))]))

/**
 * Returns whether a subject is of a kind. A `mount` and a `boat` carry a person; a `general` noun only says what kind of
 * thing the noun before it is ("koi fish"); `grounded` birds stay on the ground, and `floating` ones on water, unless
 * they fly; `small` things fit into a hand or a
 * paw; a `group` is several people.
 */
export const isA = (kind: Kind, name: string): boolean => KINDS.get(kind)!.has(name)
