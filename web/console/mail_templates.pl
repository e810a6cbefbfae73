#!/usr/bin/perl
# mail_templates.pl PAGE - makes docs/mail-templates.md a module: {NAME: {variable: sample}}; "*" has the common ones.
use strict;
use warnings;

my ($name, %names, @order);
while (<>) {
    if (/^## (.*)$/) {
        $name = $1 eq 'All templates' ? '*' : $1;
        push @order, $name;
    } elsif (defined $name && /^- `(\w+)`: `(.*?)`/) {
        my ($variable, $sample) = ($1, $2);
        $sample =~ s/(["\\])/\\$1/g;
        push @{$names{$name}}, "\"$variable\": \"$sample\"";
    }
}
@order > 1 or die "no template in the page\n";
print 'export default {', join(', ', map { "\"$_\": {" . join(', ', @{$names{$_} // []}) . '}' } @order), "};\n";
