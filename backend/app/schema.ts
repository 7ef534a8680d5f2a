import type { EntitySchema } from '@mikro-orm/core'
import { PROJECTIONS } from '#projections/all.ts'
import { M0002ReadModels } from '#projections/migrations/M0002ReadModels.ts'
import { M0007Money } from '#projections/migrations/M0007Money.ts'
import { M0012ChainHeads } from '#projections/migrations/M0012ChainHeads.ts'
import { M0023Business } from '#projections/migrations/M0023Business.ts'
import { M0030LiveProjections } from '#projections/migrations/M0030LiveProjections.ts'
import { UserTable } from '../accounts/tables.ts'
import { M0001Accounts } from '../kernel/postgres/migrations/M0001Accounts.ts'
import { M0003PageViews } from '../kernel/postgres/migrations/M0003PageViews.ts'
import { M0004AccountSafety } from '../kernel/postgres/migrations/M0004AccountSafety.ts'
import { M0005Workspace } from '../kernel/postgres/migrations/M0005Workspace.ts'
import { M0006ProviderCalls } from '../kernel/postgres/migrations/M0006ProviderCalls.ts'
import { M0008Payments } from '../kernel/postgres/migrations/M0008Payments.ts'
import { M0020Operator } from '../kernel/postgres/migrations/M0020Operator.ts'
import { M0021Traffic } from '../kernel/postgres/migrations/M0021Traffic.ts'
import { M0022Registrations } from '../kernel/postgres/migrations/M0022Registrations.ts'
import { M0031MediaFolder } from '../kernel/postgres/migrations/M0031MediaFolder.ts'
import { M0050KeyRing } from '../kernel/postgres/migrations/M0050KeyRing.ts'
import { M0051UncountedViews } from '../kernel/postgres/migrations/M0051UncountedViews.ts'

export const ENTITIES = [UserTable, ...PROJECTIONS.map(({ table }) => table)] as unknown as EntitySchema[]
export const MIGRATIONS = [
  { name: 'M0001Accounts', class: M0001Accounts },
  { name: 'M0002ReadModels', class: M0002ReadModels },
  { name: 'M0003PageViews', class: M0003PageViews },
  { name: 'M0004AccountSafety', class: M0004AccountSafety },
  { name: 'M0005Workspace', class: M0005Workspace },
  { name: 'M0006ProviderCalls', class: M0006ProviderCalls },
  { name: 'M0007Money', class: M0007Money },
  { name: 'M0008Payments', class: M0008Payments },
  { name: 'M0012ChainHeads', class: M0012ChainHeads },
  { name: 'M0020Operator', class: M0020Operator },
  { name: 'M0021Traffic', class: M0021Traffic },
  { name: 'M0022Registrations', class: M0022Registrations },
  { name: 'M0023Business', class: M0023Business },
  { name: 'M0030LiveProjections', class: M0030LiveProjections },
  { name: 'M0031MediaFolder', class: M0031MediaFolder },
  { name: 'M0050KeyRing', class: M0050KeyRing },
  { name: 'M0051UncountedViews', class: M0051UncountedViews },
]
