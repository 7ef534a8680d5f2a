import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseModel } from '../catalogue/catalogue.ts'
import type { CatalogueModel } from '../contract.ts'

const FOLDER = fileURLToPath(new URL('../../../content/models', import.meta.url))

/** Returns the shipped models that a provider renders, in the order of the form. */
export const shippedModels = (provider: string): readonly CatalogueModel[] =>
  readdirSync(FOLDER)
    .map((file) => parseModel(JSON.parse(readFileSync(path.join(FOLDER, file), 'utf8'))))
    .filter(({ routes }) => routes.some((route) => route.provider === provider))
    .sort((a, b) => a.order - b.order)

const ofSpecification = shippedModels('demo')

/** A catalogue double that offers the four models of the specification. */
export const catalogueDouble = { offered: () => ofSpecification }
