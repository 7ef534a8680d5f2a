import { atom } from 'nanostores'
import { connectIdentity, disconnectIdentity, type Identity, listIdentities } from '#backend/accounts/contract.ts'
import { call } from '../../api/api.ts'

/** Providers and what the account is connected to, or null while loading. */
export const $signIns = atom<readonly Identity[] | 'failed' | null>(null)

export const loadSignIns = (): Promise<void> =>
  call(listIdentities).then(
    ({ identities }) => $signIns.set(identities),
    () => $signIns.set('failed'),
  )

/** Opens the provider, which leads back to the account. */
export async function connect({ id }: Identity, password: string | undefined): Promise<void> {
  const { url } = await call(connectIdentity, { params: { provider: id }, body: { password } })
  location.assign(url)
}

export async function disconnect({ id }: Identity): Promise<void> {
  await call(disconnectIdentity, { params: { provider: id } })
  await loadSignIns()
}
