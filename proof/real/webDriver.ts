import { type ChildProcess, spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { freePort } from '#backend/testing/freePort.ts'
import { hasEnded, stop } from './server.ts'

/** Key of an element's id in answers: https://www.w3.org/TR/webdriver2/#elements. */
const ELEMENT = 'element-6066-11e4-a52e-4f735466cecf'
/** A busy machine takes minutes to draw a film. */
const PATIENCE_MS = 240_000

export interface Driver {
  /** The program and its arguments for a port. */
  readonly command: (port: number) => readonly string[]
  readonly env?: Readonly<Record<string, string>>
  readonly capabilities: object
}

/** The answer of a driver: a value, or an error. */
interface Answer {
  readonly value: unknown
}

/** Starts a driver of W3C WebDriver, and a browser with a new profile. */
export async function openBrowser({ command, env, capabilities }: Driver): Promise<Browser> {
  const port = await freePort()
  const [program, ...args] = command(port)
  const driver = spawn(program!, args, { env: { ...process.env, ...env }, stdio: 'ignore' })
  const url = `http://127.0.0.1:${port}`
  try {
    while (!(await fetch(`${url}/status`).catch(() => undefined))) {
      if (hasEnded(driver)) throw new Error(`${program} ended with ${driver.exitCode}`)
      await delay(100)
    }
    const timeouts = { implicit: PATIENCE_MS }
    const session = await send(`${url}/session`, { capabilities: { alwaysMatch: { ...capabilities, timeouts } } })
    return new Browser(driver, url, session as Session)
  } catch (error) {
    driver.kill()
    throw error
  }
}

interface Session {
  readonly sessionId: string
  readonly capabilities: { readonly browserVersion: string }
}

async function send(url: string, body: object | undefined, method = body ? 'POST' : 'GET'): Promise<unknown> {
  const answer = await fetch(url, {
    method,
    headers: { 'content-type': 'application/json' },
    ...(body ? { body: JSON.stringify(body) } : {}),
  })
  const { value } = (await answer.json()) as Answer
  if (!answer.ok)
    throw new Error(`${url.replace(/.*session\/[^/]+/, '')} ${JSON.stringify(body)}: ${JSON.stringify(value)}`)
  return value
}

/** A window of a browser. Elements are found by CSS, and waited for. */
export class Browser {
  readonly version: string
  readonly #driver: ChildProcess
  readonly #session: string

  constructor(driver: ChildProcess, url: string, { sessionId, capabilities }: Session) {
    this.version = capabilities.browserVersion
    this.#driver = driver
    this.#session = `${url}/session/${sessionId}`
  }

  /** Opens a page, and waits until it is loaded. */
  async goto(url: string): Promise<void> {
    await send(`${this.#session}/url`, { url })
  }

  async resize(width: number, height = 860): Promise<void> {
    await send(`${this.#session}/window/rect`, { width, height })
    // Browsers answer before they have laid out the page, and some have a minimum width.
    await delay(500)
  }

  async click(css: string): Promise<void> {
    await send(`${await this.find(css)}/click`, {})
  }

  /** Types into a field, or chooses the file of a path. */
  async type(css: string, text: string): Promise<void> {
    await send(`${await this.find(css)}/value`, { text })
  }

  /** Runs a function without free variables in the page, and returns its JSON. */
  async evaluate<T>(work: () => T | Promise<T>): Promise<T> {
    return (await send(`${this.#session}/execute/sync`, { script: `return (${work})()`, args: [] })) as T
  }

  /** Waits until a function of the page returns true. @throws Error with the name of what is waited for */
  async until(name: string, work: () => boolean | undefined): Promise<void> {
    const end = Date.now() + PATIENCE_MS
    while (!(await this.evaluate(work))) {
      if (Date.now() > end) throw new Error(`${name}: timed out`)
      await delay(200)
    }
  }

  /** Writes a picture of what is on the screen. */
  async picture(file: string): Promise<void> {
    writeFileSync(file, Buffer.from((await send(`${this.#session}/screenshot`, undefined)) as string, 'base64'))
  }

  async close(): Promise<void> {
    await send(this.#session, undefined, 'DELETE').catch(() => undefined)
    await stop(this.#driver)
  }

  /** Waits for an element, and returns its address. */
  async find(css: string): Promise<string> {
    const element = await send(`${this.#session}/element`, { using: 'css selector', value: css })
    return `${this.#session}/element/${(element as Record<string, string>)[ELEMENT]}`
  }
}
