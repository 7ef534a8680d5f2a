import { Migration } from '@mikro-orm/migrations'

/** Invoices and credit notes, what they say about buyers, and the keys of their texts. */
export class M0006Invoices extends Migration {
  override up(): void {
    this.addSql(`
      create table invoice_document (
        id uuid primary key, user_id uuid not null, sale_id text not null, kind text not null,
        source_id text not null, amount_cents int not null, booked_at timestamptz not null, position text not null,
        number text, about text, tax_cents int, sealed text, issued_at timestamptz
      );
      create index invoice_document_sale on invoice_document (sale_id);
      create index invoice_document_open on invoice_document (position) where number is null;
      create index invoice_document_issued on invoice_document (issued_at);
      alter table invoice add column withdrawn_at timestamptz;
      create table year_key (year int primary key, wrapped_key text not null);
      create table billing_details (
        user_id uuid primary key references user_account on delete cascade, sealed text not null
      );
    `)
  }
}
