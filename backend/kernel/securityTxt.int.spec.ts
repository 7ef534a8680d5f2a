import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import Koa from 'koa'
import { describe, expect, it } from 'vitest'
import { startTestKinora } from '../testing/testKinora.ts'
import { securityTxt } from './securityTxt.ts'

const DAY_MS = 86_400_000

/** Returns the type and the fields of the file. */
async function readFields(url: string) {
  const answer = await fetch(`${url}/.well-known/security.txt`)
  const lines = (await answer.text()).trim().split('\n')
  const fields = lines.map((line) => line.split(/: (.*)/, 2))
  return { type: answer.headers.get('content-type'), ...Object.fromEntries(fields) }
}

describe('/.well-known/security.txt', () => {
  it('names the support address, and expires within a year', async () => {
    const kinora = await startTestKinora({ env: { SUPPORT_EMAIL: 'security@kinora.test' } })
    const { Expires, ...fields } = await readFields(kinora.url)
    await kinora.close()
    expect(fields).toEqual({
      type: 'text/plain; charset=utf-8',
      Contact: 'mailto:security@kinora.test',
      'Preferred-Languages': 'en, zh',
      Canonical: `${kinora.url}/.well-known/security.txt`,
    })
    const days = (new Date(Expires).getTime() - Date.now()) / DAY_MS
    expect(days).toBeGreaterThan(30)
    expect(days).toBeLessThan(365)
  })

  it('names the installation itself without a support address', async () => {
    const file = securityTxt({ publicUrl: () => 'https://kinora.test', supportEmail: '' })
    const server = new Koa().use(file.routes()).listen(0)
    await once(server, 'listening')
    const { Contact } = await readFields(`http://localhost:${(server.address() as AddressInfo).port}`)
    server.close()
    expect(Contact).toBe('https://kinora.test/')
  })
})
