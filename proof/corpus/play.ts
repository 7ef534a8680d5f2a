import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { connect } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { expect, vi } from 'vitest'
import { WebSocket } from 'ws'
import { FOREIGN_PICTURES, quartersOf } from '#backend/kernel/media/testing/foreignPictures.ts'
import { documented } from '#backend/testing/operations.ts'
import type { Account, Target } from '../attack/target.ts'
import type { Answered, Case, Frames, Request, Step } from './case.ts'

const EVENTUALLY = { timeout: 20_000, interval: 100 }

interface Answer {
  readonly status: number
  readonly head: string
  readonly body: Buffer
}

/**
 * Plays the n-th case, from a network of its own. Every step may name `{host}`, `{network}` and `{email}`.
 * @throws AssertionError an answer differs from what the case says
 */
export async function play(target: Target, reported: Case, n: number): Promise<void> {
  let account: Promise<Account> | undefined
  const own = () => (account ??= target.newAccount())
  const cookieOf = { user: async () => (await own()).cookie, operator: () => target.newOperator() }
  const taken: Record<string, string> = {
    host: new URL(target.url).host,
    network: `10.1.${n >> 8}.${n & 255}`,
    email: `someone-${n}@kinora.test`,
  }
  const fill = (text: string) => text.replaceAll(/\{(\w+)\}/g, (whole, name: string) => taken[name] ?? whole)

  for (const [at, step] of ('steps' in reported ? reported.steps : [reported as Step]).entries()) {
    if ('frames' in step) {
      expect([at, await closeOf(target, await own(), step)]).toEqual([at, step.closes])
      continue
    }
    const cookie = 'as' in step && step.as ? await cookieOf[step.as]() : undefined
    const attempt = async () => {
      const answer = 'wire' in step ? await sendBytes(target, fill(step.wire)) : await send(target, step, cookie, fill)
      await check(answer, step, fill, `step ${at}`)
      return answer
    }
    const answer = await ('eventually' in step && step.eventually ? vi.waitFor(attempt, EVENTUALLY) : attempt())
    for (const [name, expression] of Object.entries(step.take ?? {}))
      taken[name] = expression.exec(textOf(answer))?.[1] ?? expect.fail(`step ${at}: no ${name} in ${textOf(answer)}`)
  }
}

const textOf = ({ head, body }: Answer) => `${head}\n${body}`

async function check(answer: Answer, step: Answered, fill: (text: string) => string, at: string): Promise<void> {
  const { status, code, says = [], never = [], shows, colours } = step
  const text = textOf(answer)
  const isProblem = /^content-type: application\/problem\+json/im.test(answer.head)
  const problem =
    isProblem && answer.body.length > 0 ? (JSON.parse(String(answer.body)) as { code: string }).code : undefined
  expect([at, answer.status, problem], String(answer.body).slice(0, 500)).toEqual([at, status, code])
  for (const part of says) expect(text, at).toContain(fill(part))
  for (const part of never) expect(text, at).not.toContain(fill(part))
  if (shows) expect(JSON.parse(String(answer.body)), at).toMatchObject(JSON.parse(fill(JSON.stringify(shows))))
  if (colours)
    for (const [quarter, colour] of (await quartersOf(answer.body)).entries())
      for (const [channel, value] of colour.entries())
        expect(Math.abs(value - (colours[quarter]?.[channel] ?? Number.NaN)), `${at}: ${colour}`).toBeLessThan(25)
}

/** Sends a request unchanged. @throws Error the description of the API does not mention the answer */
async function send(target: Target, step: Request, cookie: string | undefined, fill: (text: string) => string) {
  const [method = '', path = ''] = fill(step.send).split(' ')
  const { content, type } = await bodyOf(step, fill)
  const headers: Record<string, string | string[]> = { 'x-forwarded-for': fill('{network}') }
  if (type) headers['content-type'] = type
  if (content) headers['content-length'] = String(content.length)
  if (cookie) headers.cookie = cookie
  for (const [name, value] of Object.entries(step.headers ?? {}))
    headers[name] = typeof value === 'string' ? fill(value) : value.map(fill)
  const { hostname, port } = new URL(target.url)
  const sent = request({ hostname, port, method, path, headers, agent: false })
  sent.end(content)
  const [response] = (await once(sent, 'response')) as [IncomingMessage]
  const body = await buffer(response)
  const { statusCode: status = 0, headers: got } = response
  if (path.startsWith('/api/v1/')) {
    const init = { status, headers: { 'content-type': got['content-type'] ?? '' } }
    const answer = new Response(body.length > 0 ? body : null, init)
    await documented(target.api, method, path.slice('/api/v1'.length), answer)
  }
  const lines = Object.entries(got).map(([name, value]) => `${name}: ${value}\n`)
  return { status, head: lines.join(''), body }
}

async function bodyOf({ json, body, form }: Request, fill: (text: string) => string) {
  if (json !== undefined) return { type: 'application/json', content: Buffer.from(fill(JSON.stringify(json))) }
  if (typeof body === 'string') return { type: undefined, content: Buffer.from(fill(body)) }
  if (!form) return { type: undefined, content: body }
  const parts = form.map(async ({ head, picture, content = '' }) => [
    Buffer.from(`--b\r\n${head}\r\n\r\n`),
    await (picture ? FOREIGN_PICTURES.find(({ name }) => name === picture)!.make() : Buffer.from(content as string)),
    Buffer.from('\r\n'),
  ])
  const content = Buffer.concat([...(await Promise.all(parts)).flat(), Buffer.from('--b--\r\n')])
  return { type: 'multipart/form-data; boundary=b', content }
}

async function sendBytes(target: Target, wire: string): Promise<Answer> {
  const { hostname, port } = new URL(target.url)
  const socket = connect(Number(port), hostname)
  socket.write(wire, 'latin1')
  const answer = (await buffer(socket)).toString('latin1')
  const end = answer.indexOf('\r\n\r\n')
  const [head, body] = [answer.slice(0, end), Buffer.from(answer.slice(end + 4), 'latin1')]
  return { status: Number(/^HTTP\/1\.1 (\d+)/.exec(head)?.[1]), head, body }
}

/** Opens a WebSocket and sends bytes. Returns the code with which the server closes it. */
async function closeOf(target: Target, { cookie }: Account, { frames }: Frames): Promise<number> {
  const answer = await fetch(`${target.api}/ws/token`, { method: 'POST', headers: { cookie } })
  const { token } = (await answer.json()) as { token: string }
  const socket = new WebSocket(`${target.api.replace('http', 'ws')}/ws?token=${token}`)
  const closed = once(socket, 'close')
  const [response] = (await once(socket, 'upgrade')) as [IncomingMessage]
  response.socket.write(Buffer.from(frames, 'hex'))
  const [code] = (await closed) as [number]
  return code
}
