#!/usr/bin/perl
# shell.pl FOLDER GEN - makes GEN/shell.html from index.html, with the screens of navigation.js in its navigation and
# without blanks between elements, and GEN/shell_texts.js with its texts in other languages: { LANGUAGE: { ENGLISH: TEXT
# } }.
use strict;
use warnings;
use utf8;
use open qw(:std :encoding(UTF-8));

my ($folder, $gen) = @ARGV == 2 ? @ARGV : die "usage: shell.pl FOLDER GEN\n";
my ($navigation, $open) = ('', '');

sub slurp { open my $file, '<', $_[0] or die "$_[0]: $!\n"; local $/; return <$file> }
sub spew { open my $file, '>', $_[0] or die "$_[0]: $!\n"; print $file $_[1]; close $file or die "$_[0]: $!\n" }

for (split /\n/, slurp("$folder/navigation.js")) {
    if (/^    \{ title: (?:N\('([^'\\]*)'\)|''), screens: \[$/) {
        $navigation .= ($open && '</ul>') . (defined $1 ? "<h2>$1</h2>" : '') . '<ul>';
        $open = 1;
    } elsif (/^ +\{ path: '([^'\\]*)', title: N\('([^'\\]*)'\) \},$/) {
        $navigation .= qq(<li><a href="/console$1">$2</a></li>);
    } elsif (/path:|title:/ && !/titleOf/) {
        die "navigation.js: cannot be read: $_\n";
    }
}
die "navigation.js has no group\n" unless $open;

my $text = slurp("$folder/index.html");
$text =~ s/\@NAVIGATION\@/$navigation<\/ul>/ or die "index.html has no place for the navigation\n";
my ($preferences) = $text =~ /(<div class="preferences">.*?<\/div>)/s or die "index.html has no preferences\n";
$text =~ s/\@PREFERENCES\@/$preferences/ or die "index.html has no second place for the preferences\n";
$text =~ s/(?<=>)\n\s*(?=<)//g;
spew("$gen/shell.html", $text);

my ($app) = $text =~ /<div id="app">(.*?)\@MODULES\@/s or die "index.html has no #app with the modules behind it\n";
my %words = map { $_ => 1 } $app =~ /(?:>|aria-label=")([^<>"]+)(?=[<"])/g;
my @languages;
for my $language (qw(de es)) {
    my %has = slurp("$folder/text/$language.json") =~ /^\s*"((?:[^"\\]|\\.)*)": "((?:[^"\\]|\\.)*)",?$/mg;
    push @languages, "$language: {" . join(', ', map { qq("$_": "$has{$_}") } grep { defined $has{$_} } sort keys %words) . '}';
}
spew("$gen/shell_texts.js", 'export default {' . join(', ', @languages) . "};\n");
