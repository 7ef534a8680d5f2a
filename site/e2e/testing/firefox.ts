import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { WebSocket } from 'ws'

/** Returns the path of the configured Firefox, or of the system's; undefined if there is none. */
export const firefoxPath = (): string | undefined =>
  [process.env.KINORA_FIREFOX, '/usr/bin/firefox-esr', '/usr/bin/firefox'].find((file) => file && existsSync(file))

/** Starts Firefox without a window, with a new profile. */
export async function launchFirefox(program: string): Promise<Firefox> {
  const profile = mkdtempSync(path.join(os.tmpdir(), 'kinora-firefox-'))
  const child = spawn(program, ['--headless', '--no-remote', '--profile', profile, '--remote-debugging-port', '0'], {
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const exited = once(child, 'exit').then(() => rmSync(profile, { recursive: true, force: true, maxRetries: 10 }))
  for await (const line of createInterface(child.stderr)) {
    const address = /WebDriver BiDi listening on (\S+)/.exec(line)?.[1]
    if (!address) continue
    child.stderr.resume()
    const socket = new WebSocket(`${address}/session`)
    await once(socket, 'open')
    return new Firefox(child, exited, socket).begin()
  }
  throw new Error('Firefox did not start')
}

type Answer = Readonly<{ id?: number; method?: string; params?: { level: string; text: string } }> &
  Readonly<{ result?: unknown; message?: string }>

/**
 * A tab of Firefox. Playwright drives only a Firefox of its own, so this speaks WebDriver BiDi, which every Firefox
 * understands: https://w3c.github.io/webdriver-bidi/.
 */
export class Firefox {
  /** Errors and warnings of the pages. */
  readonly faults: string[] = []
  readonly #child: ChildProcess
  readonly #exited: Promise<void>
  readonly #socket: WebSocket
  readonly #pending = new Map<number, PromiseWithResolvers<unknown>>()
  #context = ''
  #last = 0

  constructor(child: ChildProcess, exited: Promise<void>, socket: WebSocket) {
    this.#child = child
    this.#exited = exited
    this.#socket = socket
    socket.on('message', (data) => {
      const { id, method, params, result, message } = JSON.parse(String(data)) as Answer
      if (method === 'log.entryAdded' && /error|warn/.test(params!.level)) this.faults.push(params!.text)
      const pending = this.#pending.get(id ?? 0)
      if (message === undefined) pending?.resolve(result)
      else pending?.reject(new Error(message))
    })
  }

  async begin(): Promise<this> {
    await this.#send('session.new', { capabilities: {} })
    await this.#send('session.subscribe', { events: ['log.entryAdded'] })
    const { contexts } = (await this.#send('browsingContext.getTree', {})) as { contexts: [{ context: string }] }
    this.#context = contexts[0].context
    return this
  }

  /** Sets the size of the page, in CSS pixels. */
  async resize(width: number, height = 860): Promise<void> {
    await this.#send('browsingContext.setViewport', { context: this.#context, viewport: { width, height } })
  }

  /** Opens a page, and waits until it is loaded. */
  async goto(url: string): Promise<void> {
    await this.#send('browsingContext.navigate', { context: this.#context, url, wait: 'complete' })
  }

  /** Runs a function without free variables in the page, and returns its JSON. */
  async evaluate<T>(work: () => T): Promise<T> {
    const { result } = (await this.#send('script.evaluate', {
      expression: `JSON.stringify((${work})() ?? null)`,
      target: { context: this.#context },
      awaitPromise: true,
    })) as { result: { value: string } }
    return JSON.parse(result.value)
  }

  /** Clicks in the middle of the first element that matches. @throws Error there is none, or it is not on the screen */
  async click(selector: string): Promise<void> {
    const locator = { type: 'css', value: selector }
    const { nodes } = (await this.#send('browsingContext.locateNodes', { context: this.#context, locator })) as {
      nodes: { sharedId: string }[]
    }
    const origin = { type: 'element', element: nodes[0] }
    const [move, down, up] = [
      { type: 'pointerMove', x: 0, y: 0, origin },
      { type: 'pointerDown', button: 0 },
      { type: 'pointerUp', button: 0 },
    ]
    await this.#act({ type: 'pointer', id: 'mouse', actions: [move, down, up] })
  }

  /** Types a text, in which \uE007 is Enter, into what has the focus. */
  async type(text: string): Promise<void> {
    const actions = [...text].flatMap((value) => [
      { type: 'keyDown', value },
      { type: 'keyUp', value },
    ])
    await this.#act({ type: 'key', id: 'keyboard', actions })
  }

  async close(): Promise<void> {
    this.#socket.close()
    this.#child.kill()
    await this.#exited
  }

  async #act(actions: object): Promise<void> {
    await this.#send('input.performActions', { context: this.#context, actions: [actions] })
  }

  #send(method: string, params: object): Promise<unknown> {
    this.#last += 1
    const pending = Promise.withResolvers<unknown>()
    this.#pending.set(this.#last, pending)
    this.#socket.send(JSON.stringify({ id: this.#last, method, params }))
    return pending.promise
  }
}
