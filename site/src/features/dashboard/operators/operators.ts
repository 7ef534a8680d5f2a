import type * as z from 'zod/mini'
import {
  acceptInvitation,
  changeOperatorRole,
  type Forgotten,
  forgotOperatorPassword,
  type Invitation,
  inviteOperator,
  me,
  operators,
  removeOperator,
} from '#backend/operators/contract.ts'
import { type Answer, call } from '../../../api/api.ts'
import { boardSection } from '../boardSection.ts'

export type OperatorRow = Answer<typeof operators>['operators'][number]
export type Role = OperatorRow['role']

/** The signed-in operator. */
export const own = boardSection(async () => {
  const data = await call(me)
  return { ...data, data }
})

export const list = boardSection(async () => {
  const data = await call(operators)
  return { ...data, data: data.operators }
})

const reload = () => Promise.all([list.load(), own.load()])

/** Returns the link to pass on if it could not be mailed. @throws ApiError */
export async function invite(body: z.output<typeof Invitation>): Promise<string | null> {
  const { link } = await call(inviteOperator, { body })
  await reload()
  return link
}

/** @throws ApiError */
export async function changeRole(id: string, role: Role): Promise<void> {
  await call(changeOperatorRole, { params: { id }, body: { role } })
  await reload()
}

/** @throws ApiError */
export async function remove(id: string): Promise<void> {
  await call(removeOperator, { params: { id } })
  await reload()
}

/** Mails a link that sets a new password, if there is such an operator. @throws ApiError */
export const forgot = (body: z.output<typeof Forgotten>) => call(forgotOperatorPassword, { body })

/** Chooses the password of an operator with a mailed token. @throws ApiError */
export const accept = (token: string, password: string) => call(acceptInvitation, { body: { token, password } })
