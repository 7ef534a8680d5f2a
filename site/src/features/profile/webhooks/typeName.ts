import { textAt } from '../../../i18n/client.ts'

/** Returns what a type of events is called. The name of one that this page does not know is its type. */
export const typeName = (type: string): string => textAt(`webhooks.type.${type.replace('.', '_')}`) ?? type
