const UUID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g

/** Collects what happens in a history, one line each. */
export class Trace {
  readonly lines: string[] = []
  readonly #isOn: boolean
  readonly #now: () => number
  /** Short names of ids, in order of appearance. */
  readonly #names = new Map<string, string>()

  /** @param now returns milliseconds since the history began */
  constructor(isOn: boolean, now: () => number) {
    this.#isOn = isOn
    this.#now = now
  }

  line(who: string, what: string): void {
    if (!this.#isOn) return
    const text = what.replaceAll(UUID, (id) => this.#nameOf(id))
    this.lines.push(`${(this.#now() / 1000).toFixed(3).padStart(9)}  ${who.padEnd(12)} ${text}`)
  }

  #nameOf(id: string): string {
    const name = this.#names.get(id) ?? `#${this.#names.size + 1}`
    this.#names.set(id, name)
    return name
  }
}
