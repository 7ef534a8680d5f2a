import { expect, it } from 'vitest'
import { newSecret, stepOf } from './totp.ts'

it.each(['一只猫在山上', 'éééééé', 'abcdef', '１２３４５６', '12345', ''])('the code %j is wrong', (code) => {
  expect(stepOf(newSecret(), code, Date.now())).toBeUndefined()
})
