import { expect, it } from 'vitest'
import * as z from 'zod/mini'
import { KeyOrder } from './contract.ts'

it('limits a key to models whose ids can be stored', () => {
  const order = (model: string) => ({ name: 'Key', scopes: ['videos:write'], models: [model] })
  expect(z.safeParse(KeyOrder, order('MiniMax-Hailuo-02')).success).toBe(true)
  expect(z.safeParse(KeyOrder, order('MiniMax\u0000')).success).toBe(false)
})
