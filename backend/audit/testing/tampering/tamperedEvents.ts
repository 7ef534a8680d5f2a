import { account, at, book, others, sql, subscription, swap, type Tampering } from './tampering.ts'

/** Changed, deleted and moved events, which break the chain. */
export const EVENTS: readonly Tampering[] = [
  {
    what: 'one byte of an event',
    does: sql(`update event set data = jsonb_set(data, '{reason}', '"not deliverad"') ${at(account, 5)}`),
    names: [
      { check: 'chain', stream: account, revision: 5, wrong: /was changed/ },
      {
        check: 'read model',
        stream: account,
        revision: 5,
        wrong: /reason is "not delivered", by the log "not deliverad"/,
      },
    ],
  },
  {
    what: 'an earlier time of storing an event',
    does: sql(`update event set created = created - interval '1 hour' ${at(account, 4)}`),
    names: [{ check: 'log', stream: account, revision: 4, wrong: /one of these times was changed/ }],
  },
  {
    what: 'a later time of storing an event',
    does: sql(`update event set created = created + interval '1 hour' ${at(account, 4)}`),
    names: [{ check: 'log', wrong: /revision 4 of creditAccount.*one of these times/ }],
  },
  {
    what: 'an amount',
    does: sql(`update event set data = jsonb_set(data, '{amount}', '1000') ${at(account, 1)}`),
    names: [
      { check: 'chain', stream: account, revision: 1, wrong: /was changed/ },
      { check: 'grant', stream: account, revision: 1, wrong: /grants 1000 credits; the sale brings 100/ },
      { check: 'read model', stream: account, revision: 1, wrong: /credit_entry: amount is 100, by the log 1000/ },
    ],
  },
  {
    what: 'an amount that was held',
    does: sql(`update event set data = jsonb_set(data, '{parts,0,amount}', '3') ${at(account, 4)}`),
    names: [
      { check: 'chain', stream: account, revision: 4, wrong: /was changed/ },
      { check: 'postings', stream: account, revision: 5, wrong: /sum to 27/ },
    ],
  },
  {
    what: 'a deleted event',
    does: sql(`delete from event ${at(account, 3)}`),
    names: [
      { check: 'chain', stream: account, revision: 3, wrong: /missing/ },
      { check: 'log', stream: null, wrong: /is missing/ },
    ],
  },
  {
    what: 'the deleted last event of a stream',
    does: sql(`delete from event ${at(others, 2)}`),
    names: [
      { check: 'chain', stream: others, revision: 2, wrong: /chain_head remembers this event/ },
      { check: 'log', stream: null, wrong: /is missing/ },
    ],
  },
  {
    what: 'the deleted last event of the log',
    does: sql(`delete from event ${at(book, 1)}`),
    names: [
      { check: 'chain', stream: book, revision: 1, wrong: /chain_head remembers this event/ },
      { check: 'log', stream: null, wrong: /creditBalances has read the log up to here/ },
    ],
  },
  {
    what: 'a deleted stream',
    does: sql(`delete from event where stream = '${others}'`),
    names: [{ check: 'chain', stream: others, revision: 2, wrong: /its stream is gone/ }],
  },
  {
    what: 'two events whose contents were swapped',
    does: swap(true),
    names: [
      { check: 'chain', stream: account, revision: 3, wrong: /neither carries the hash/ },
      { check: 'chain', stream: account, revision: 4, wrong: /neither carries the hash/ },
    ],
  },
  {
    what: 'two events in the wrong order in the log',
    does: swap(false),
    names: [{ check: 'chain', stream: account, revision: 3, wrong: /it follows 4/ }],
  },
  {
    what: 'a changed hash in the metadata',
    does: sql(`update event set meta = jsonb_set(meta, '{previousHash}', '"${'0'.repeat(64)}"') ${at(account, 4)}`),
    names: [{ check: 'chain', stream: account, revision: 4, wrong: /neither carries the hash/ }],
  },
  {
    what: 'another actor',
    does: sql(`update event set meta = jsonb_set(meta, '{actor}', '"operator:bob"') ${at(account, 6)}`),
    names: [{ check: 'chain', stream: account, revision: 6, wrong: /was changed/ }],
  },
  {
    what: 'another actor of the last event',
    does: sql(`update event set meta = jsonb_set(meta, '{actor}', '"operator:bob"') ${at(account, 8)}`),
    names: [{ check: 'chain', stream: account, revision: 8, wrong: /chain_head remembers another hash/ }],
  },
  {
    what: 'a byte of a sale',
    does: sql(`update event set data = jsonb_set(data, '{currency}', '"USE"') ${at(subscription, 2)}`),
    names: [
      { check: 'chain', stream: subscription, revision: 2, wrong: /was changed/ },
      { check: 'read model', stream: subscription, revision: null, wrong: /invoice: currency is "USD"/ },
    ],
  },
  {
    what: 'a deleted sale',
    does: sql(`delete from event ${at(subscription, 2)}`),
    names: [
      { check: 'chain', stream: subscription, revision: 2, wrong: /missing/ },
      { check: 'grant', stream: account, revision: 1, wrong: /No sale SALE-1/ },
    ],
  },
]
