import { expect } from 'vitest'
import type { Stats } from '../subscriptions/contract.ts'
import { eventually } from './eventually.ts'
import type { TestUser } from './testUser.ts'

interface Server {
  readonly url: string
}

/** Retries a check until it passes. */
export const soon = (check: () => Promise<void>): Promise<void> => eventually(check)

export const read = async <T>(user: TestUser, path: string): Promise<T> =>
  (await (await user.call('GET', path)).json()) as T
export const readStats = (user: TestUser): Promise<Stats> => read(user, '/subscriptions/stats')

/** Calls the sandbox of payments or its calendar. */
export const postDev = ({ url }: Server, path: string, body = {}): Promise<Response> =>
  fetch(`${url}/dev/${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })

/** Requests a plan. Returns the id of its agreement, which waits for the buyer's approval. */
export async function openCheckout({ url }: Server, user: TestUser, tier: string): Promise<string> {
  const answer = await user.call('POST', '/subscriptions/upgrade', { new_tier: tier, billing_cycle: 'monthly' })
  expect(answer.status).toBe(200)
  const { data } = (await answer.json()) as { data: { approval_url: string; subscription_id: string } }
  expect(data.approval_url).toBe(`${url}/dev/paypal/approve/${data.subscription_id}`)
  return data.subscription_id
}

export async function confirm(user: TestUser, id: string): Promise<unknown> {
  const answer = await user.call('POST', '/subscriptions/confirm', { subscription_id: id })
  expect(answer.status).toBe(200)
  return answer.json()
}

export async function approve(server: Server, user: TestUser, id: string): Promise<unknown> {
  await postDev(server, `paypal/${id}/approve`)
  return confirm(user, id)
}

/** Buys a plan. Returns the id of its agreement. */
export async function buyPlan(server: Server, user: TestUser, tier: string): Promise<string> {
  const id = await openCheckout(server, user, tier)
  await approve(server, user, id)
  return id
}
