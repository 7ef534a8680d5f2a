import { useStore } from '@nanostores/react'
import type { ReactNode } from 'react'
import { type Endpoint, OPERATOR_ROLES } from '#backend/kernel/http/contract.ts'
import { own } from './operators/operators.ts'

type Call = Pick<Endpoint, 'role'>

/** Returns whether the role of the operator may call an endpoint. */
export function useMay({ role = 'viewer' }: Call): boolean {
  const mine = useStore(own.$section).data?.role ?? 'invited'
  return OPERATOR_ROLES.indexOf(mine) >= OPERATOR_ROLES.indexOf(role)
}

/** What calls an endpoint, for operators whose role may call it. The server refuses it to others. */
export const May = ({ call, children }: { readonly call: Call; readonly children: ReactNode }) =>
  useMay(call) && children
