import { atom } from 'nanostores'
import { type ApiKey, createKey, endKey, listKeys, rotateKey } from '#backend/apiKeys/contract.ts'
import { listModels } from '#backend/tasks/contract.ts'
import { type Answer, call } from '../../../api/api.ts'
import { $models, formModel } from '../../../api/models.ts'
import { translate } from '../../../i18n/client.ts'
import { showToast } from '../../../ui/toasts/toasts.ts'
import type { NewKey, Rotation } from './keyForm.ts'

const WEEK_MS = 7 * 24 * 3_600_000

/** A key that was just made, with its text. */
export type MadeKey = Answer<typeof createKey>

/** API keys that work, or null while loading. */
export const $keys = atom<readonly ApiKey[] | 'failed' | null>(null)

export async function loadKeys(): Promise<void> {
  try {
    $keys.set((await call(listKeys)).keys)
  } catch {
    if (!Array.isArray($keys.get())) $keys.set('failed')
  }
}

/** Loads the models that a key can be limited to. If that fails, the shipped ones remain. */
export const loadModels = (): Promise<void> =>
  call(listModels).then(
    (models) => $models.set(models.map(formModel)),
    () => {},
  )

export async function makeKey(order: NewKey): Promise<MadeKey> {
  const made = await call(createKey, { body: order })
  await loadKeys()
  return made
}

export async function replaceKey(key: ApiKey, rotation: Rotation): Promise<MadeKey> {
  const made = await call(rotateKey, { params: { id: key.id }, body: rotation })
  await loadKeys()
  return made
}

/** Ends a key or a connection. */
export async function stopKey(key: ApiKey): Promise<void> {
  const t = translate()
  try {
    await call(endKey, { params: { id: key.id } })
    showToast('success', t(key.client ? 'keys.connections.ended' : 'keys.ending.done'))
  } catch {
    showToast('danger', t('keys.ending.failed'))
  }
  await loadKeys()
}

/** Returns what identifies a key without revealing it. */
export const hintOf = ({ hint }: ApiKey): string => `kin_…${hint}`

/** Returns whether a key expires within a week. Connections renew themselves. */
export const expiresSoon = ({ client, expires_at }: ApiKey, now: number): boolean =>
  client === null && expires_at !== null && Date.parse(expires_at) - now < WEEK_MS
