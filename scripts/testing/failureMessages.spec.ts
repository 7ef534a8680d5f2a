import { expect, it } from 'vitest'

it('names each fault of a list in the message of the failure', () => {
  const faults = ['theatre: color-contrast', 'plans: layout shift'].map(
    (fault) => `${fault} ${'of an element '.repeat(20)}`,
  )
  for (const fault of faults) expect(() => expect(faults).toEqual([])).toThrow(fault)
})
