import { createPublicKey, type KeyObject, randomUUID, sign, verify } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import * as z from 'zod/mini'
import { UsageError } from '../kernel/commandLine.ts'
import { canonicalJson } from '../kernel/eventsourcing/pure/eventHash.ts'
import { keptKey, keyIn, publicPem } from './signingKey.ts'

/** Public keys of operators, in PEM, by their names. */
const OperatorKeys = z.record(z.string(), z.array(z.string()))
export type OperatorKeys = Readonly<Record<string, readonly string[]>>

/** File in the data folder that lists the public keys of operators. A copy kept elsewhere is the better evidence. */
export const OPERATORS_FILE = 'operators.json'
/** Folder in the data folder of the operators' private keys, `<name>.pem`. */
export const OPERATOR_KEYS = 'operator-keys'

const keyFile = (dataDir: string, operator: string) => path.join(dataDir, OPERATOR_KEYS, `${operator}.pem`)

/** Names that operators with a key can have. */
export const isOperatorName = (name: string): boolean => /^[\w@+-][\w.@+-]{0,127}$/.test(name)

/**
 * Creates a key for the operator unless there is one, and adds the public keys of all operators to the list. Earlier keys
 * stay in the list, because they signed earlier adjustments.
 * @throws UsageError a key or the list cannot be used
 */
export function registerOperator(dataDir: string, operator: string): void {
  if (isOperatorName(operator)) keptKey(keyFile(dataDir, operator))
  const list = path.join(dataDir, OPERATORS_FILE)
  const known = readOperatorKeys(list) ?? {}
  const folder = path.join(dataDir, OPERATOR_KEYS)
  const names = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith('.pem')) : []
  const all = { ...known }
  for (const name of names) {
    const key = publicPem(keyIn(path.join(folder, name)))
    const operator = name.slice(0, -'.pem'.length)
    all[operator] = [...new Set([...(known[operator] ?? []), key])]
  }
  if (JSON.stringify(all) === JSON.stringify(known)) return
  const partial = `${list}.${randomUUID()}`
  writeFileSync(partial, `${JSON.stringify(all, null, 2)}\n`, { flush: true })
  renameSync(partial, list)
}

/** An operator's change of a user's credits. */
interface Adjustment {
  readonly userId: string
  readonly adjustmentId: string
  /** Whole credits; negative if they are withdrawn. */
  readonly amount: number
  readonly reason: string
  /** ISO 8601. */
  readonly at: string
  /** Actor of the event: `operator:<name>`. */
  readonly actor: string
}

/** Returns the bytes that the signature of an adjustment covers. */
const signedBytes = ({ userId, adjustmentId, amount, reason, at, actor }: Adjustment): Buffer =>
  Buffer.from(canonicalJson({ format: 'kinora-adjustment-1', userId, adjustmentId, amount, reason, at, actor }))

/** Returns a function that signs adjustments with an operator's key. @throws UsageError the operator has none */
export function operatorSigner(dataDir: string, operator: string): (adjustment: Adjustment) => string {
  const file = keyFile(dataDir, operator)
  if (!existsSync(file))
    throw new UsageError(
      `--operator: ${operator} has no key. To register this operator: openssl genpkey -algorithm ed25519 -out ${file}`,
    )
  const key: KeyObject = keyIn(file)
  return (adjustment) => sign(null, signedBytes(adjustment), key).toString('base64')
}

/** Reads a list of public keys; undefined if the file does not exist. @throws UsageError */
export function readOperatorKeys(file: string): OperatorKeys | undefined {
  if (!existsSync(file)) return undefined
  try {
    const keys = z.parse(OperatorKeys, JSON.parse(readFileSync(file, 'utf8')))
    for (const key of Object.values(keys).flat()) createPublicKey(key)
    return keys
  } catch (error) {
    throw new UsageError(`${file} is not a list of operators' public keys (${(error as Error).message}).`)
  }
}

/** Returns whether one of the keys signed the adjustment. */
export const isSignedWith = (keys: readonly string[], adjustment: Adjustment, signature: string): boolean =>
  keys.some((key) => verify(null, signedBytes(adjustment), key, Buffer.from(signature, 'base64')))
