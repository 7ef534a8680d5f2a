import { expect, it } from 'vitest'
import { composeMail } from './composeMail.ts'

const ada = { email: 'ada@kinora.test', fullName: 'Ada', language: 'en' } as const

it('says in the text of a mail what its link does', () => {
  const { text } = composeMail('newDevice', ada, 'https://kinora.test/secure', { device: 'Firefox on Linux' })
  expect(text).toContain('\n\nThis wasn’t me:\nhttps://kinora.test/secure\n\n')
})
