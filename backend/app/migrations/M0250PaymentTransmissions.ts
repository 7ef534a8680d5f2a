import { Migration } from '@mikro-orm/migrations'

/** The body of each transmission of a webhook, so that none is accepted with another. */
export class M0250PaymentTransmissions extends Migration {
  override up(): void {
    this.addSql(`
      create table payment_transmission (
        id text primary key, body_hash text not null, received_at timestamptz not null default now()
      );
      create index payment_transmission_age on payment_transmission (received_at);
    `)
  }
}
