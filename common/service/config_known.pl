#!/usr/bin/perl
# config_known.pl - writes the daemons' configuration keys as C.
#
#     config_known.pl common/service/service.h DAEMON/DAEMON.c ...
#
# Reads config_rows[] of each file, and from the header the rows of all daemons with a database. Writes
# config_known[] on stdout, with a section per daemon. A daemon reads its own section with its own table;
# tests/http/test_reload.c compares the two.
use strict;
use warnings;

my ($header, @files) = @ARGV;

sub text_of {
    my ($path) = @_;
    open(my $file, '<', $path) or die "$path: $!\n";
    local $/;
    return scalar <$file>;
}

my ($shared) = text_of($header) =~ /#define DATABASE_CONFIG_ROWS\b(.*?)\n\n/s
    or die "$header: no DATABASE_CONFIG_ROWS\n";
my @database = $shared =~ /\{[\s\\]*"(\w+)",[\s\\]*CONFIG_TYPE_/g;

print "/* Made by common/service/config_known.pl; do not edit. */\n";
print "#include \"common/service/config.h\"\n\n";
my $sections = '';
for my $path (@files) {
    my ($daemon) = $path =~ m{^(\w+)/\1\.c$} or die "$path: not DAEMON/DAEMON.c\n";
    my ($table) = text_of($path) =~ /config_rows\[\] = \{\n(.*?)\n\};/s or die "$path: no config_rows[]\n";
    my @keys;
    while ($table =~ /\b(DATABASE_CONFIG_ROWS)\(|\bCONFIG_[A-Z_]+\(\s*struct \w+,\s*(\w+)|\{\s*"(\w+)",\s*CONFIG_TYPE_/g) {
        push @keys, $1 ? @database : $2 // $3;
    }
    print "static const struct config_row ${daemon}_rows[] = {\n";
    print "    {.key = \"$_\"},\n" for @keys;
    print "};\n";
    $sections .= "    {\"$daemon\", ${daemon}_rows, ARRAY_SIZE(${daemon}_rows), NULL, NULL},\n";
}
print "\nconst struct config_section config_known[] = {\n$sections    {.name = NULL},\n};\n";
