import type { Provider } from '#backend/accounts/contract.ts'

/** Returns where people can sign in with accounts that they have elsewhere. The server writes it into each page. */
export const readProviders = (): readonly Provider[] =>
  JSON.parse(document.documentElement.dataset.providers ?? '[]') as readonly Provider[]
