/** Follows redirects with the cookies of one browser, as a person who signs in at a provider does. */
export class Browser {
  readonly #cookies = new Map<string, string>()

  /** @param cookie value of a Cookie header */
  constructor(cookie = '') {
    for (const pair of cookie.split('; ').filter(Boolean)) {
      const [name = '', value = ''] = pair.split('=')
      this.#cookies.set(name, value)
    }
  }

  /** Value of the Cookie header. */
  get cookie(): string {
    return [...this.#cookies].map(([name, value]) => `${name}=${value}`).join('; ')
  }

  async request(address: string, init: RequestInit = {}): Promise<Response> {
    const headers = { ...(init.headers as Record<string, string>), cookie: this.cookie }
    const answer = await fetch(address, { ...init, headers, redirect: 'manual' })
    for (const line of answer.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      if (value) this.#cookies.set(name, value)
      else this.#cookies.delete(name)
    }
    return answer
  }

  /** Follows redirects until one leads to an address that is not requested any more. Returns that address. */
  async follow(start: string, isEnd: (address: string) => boolean): Promise<string> {
    let address = start
    while (!isEnd(address)) {
      const answer = await this.request(address)
      const location = answer.headers.get('location')
      if (!location) throw new Error(`${address} answered ${answer.status}: ${(await answer.text()).slice(0, 300)}`)
      address = new URL(location, address).href
    }
    return address
  }
}
