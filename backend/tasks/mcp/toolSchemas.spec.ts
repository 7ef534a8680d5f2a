import { expect, it } from 'vitest'
import { SCHEMAS } from './toolSchemas.ts'

const isAccepted = (idempotency_key: string) => SCHEMAS.generate.input.safeParse({ idempotency_key }).success

it('takes any idempotency key that can be stored', () => {
  for (const key of ['once', 'a fox 一', '\ud83e\udd8a', '7'.repeat(200)])
    expect([key, isAccepted(key)]).toEqual([key, true])
  for (const key of ['', '\u0000', 'a\u0000b', 'a\nb', '7'.repeat(201)])
    expect([key, isAccepted(key)]).toEqual([key, false])
})
