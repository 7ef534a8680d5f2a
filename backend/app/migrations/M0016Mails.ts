import { Migration } from '@mikro-orm/migrations'

/** Emails in the outbox: bodies that end, the sender whose attempts the next one repeats, and what was not delivered. */
export class M0016Mails extends Migration {
  override up(): void {
    this.addSql('alter table outbox add column claimed_by bigint')
    this.addSql('create index outbox_claimed on outbox (claimed_by) where claimed_by is not null')
    this.addSql("create index outbox_undelivered on outbox (created_at desc, id) where state <> 'sent'")
    this.addSql('create index outbox_expiring on outbox (expires_at) where expires_at is not null and body is not null')
  }
}
