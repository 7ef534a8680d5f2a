/** The catalogue's keys as types, so that a misspelt key does not compile. */
import type { english, Namespace } from './catalogue.ts'
import type { Variables } from './core.ts'

type WithoutPlural<K extends string> = K extends `${infer Base}_${'one' | 'other'}` ? Base : K
type Leaves<T> = {
  [K in keyof T & string]: T[K] extends string ? WithoutPlural<K> : `${K}.${Leaves<T[K]>}`
}[keyof T & string]

type Key = { [N in Namespace]: `${N}.${Leaves<(typeof english)[N]>}` }[Namespace]
export type Translate = (key: Key, variables?: Variables) => string
